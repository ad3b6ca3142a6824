#!/usr/bin/env python3
"""A Baize client in another language, written from Protocol/ alone: it runs the vectors, and tests a daemon by playing.

    foreign_client.py HOST:PORT     # a running `baized --allow-seeds`: vectors, then the protocol
    foreign_client.py               # the vectors only

Needs protoc and Python's protobuf (Debian: protobuf-compiler, python3-protobuf). The exit code is 0 if all holds, else 1.
Rules in brackets are those of the specification. Comments that name client.md name the section of Protocol/client.md that
the code follows.
"""

import collections
import contextlib
import copy
import importlib
import itertools
import json
import math
import pathlib
import random
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
import typing

PROTOCOL = pathlib.Path(__file__).resolve().parents[2] / "Protocol"
SECONDS_MAX = 600
REPLY_SECONDS = SECONDS_MAX
WORD = (1 << 64) - 1
PRIME = (1 << 61) - 1
COPY, MOVE = 1, 2


# ---- the contract [client.md, Connection]


def load_contract():
    """The module that protoc generates from baize.proto."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["protoc", f"--proto_path={PROTOCOL}", f"--python_out={folder}", "baize.proto"], check=True)
        sys.path.insert(0, folder)
        try:
            contract = importlib.import_module("baize_pb2")
            contract.DecodeError = importlib.import_module("google.protobuf.message").DecodeError
            return contract
        finally:
            sys.path.remove(folder)


def varint(number):
    encoded = bytearray()
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(encoded + bytes([number]))


# ---- the view hash [V1-V6; client.md, Connection: traps]


def mix(word):
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 & WORD
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB & WORD
    return word ^ (word >> 31)


def byte_hash(content):
    state = 0xCBF29CE484222325
    for byte in content:
        state = (state ^ byte) * 0x100000001B3 & WORD
    return mix(state)


def word(number):
    return (number & WORD).to_bytes(8, "little")


def blob(content):
    return word(len(content)) + content


def text(content):
    return blob(content.encode())


def order_hash(items):
    order = 0
    for item in items:
        order = (order * 0x1415926535897932 + mix(item) % PRIME) % PRIME
    return order


def attributes(values):
    """A number of attributes, then each, ascending by the bytes of its name."""
    encoded = word(len(values))
    for name in sorted(values, key=lambda name: name.encode()):
        value = values[name]
        encoded += text(name) + (b"\x02" + text(value) if isinstance(value, str) else b"\x01" + word(value))
    return encoded


def named(message_attributes):
    """Attributes by name; those without a value are left out."""
    return {a.name: getattr(a, a.WhichOneof("value")) for a in message_attributes if a.WhichOneof("value")}


# ---- a view of a table [client.md, What a client keeps: confirmed]


class Mismatch(Exception):
    """A message that does not fit the view: the client requests a snapshot [C3]."""


class Item:
    def __init__(self, message):
        self.id = message.id
        self.hidden = message.hidden
        self.pinned = message.pinned
        self.opens = message.opens
        self.alias_of = message.alias_of  # The face is there all the same [Y2].
        self.attributes = {} if message.hidden else named(message.attributes)
        self.representations = [] if message.hidden else [(r.content_type, r.data) for r in message.representations]

    def hash(self):
        encoded = word(self.id) + bytes([(not self.hidden) + 2 * self.pinned])
        if not self.hidden:
            encoded += attributes(self.attributes) + word(len(self.representations))
            for content_type, data in self.representations:
                encoded += text(content_type) + blob(data)
        return byte_hash(encoded)


class View:
    """A table built from snapshots and diffs [S1-S2, D1-D8]."""

    def __init__(self):
        self.epoch = self.revision = self.last_seq = 0
        self.complete = False
        self.names, self.collections, self.enabled = [], [], []
        self.hidden_counts = []  # How many items of each collection this viewer does not receive [D13].
        self.openers = []  # The item that opens each collection, 0 for one of the table type. None is what is gone [Q1, Q2].
        self.items = {}
        self.status = ""
        self.variables = {}
        self.seats = []

    def standing(self, item):
        """An item with its collection, and its neighbors; 0 for none."""
        handle, items = next((h, i) for h, i in enumerate(self.collections) if i and item in i)
        around, index = [0, *items, 0], items.index(item)
        one = self.items[item]
        return (handle, one.hidden, one.pinned, one.alias_of, one.attributes, one.representations), around[index], around[index + 2]

    def snapshot(self, part):
        """client.md, Snapshots."""
        if part.first:
            self.__init__()
            own = [c for c in part.collections if not c.item]
            self.names = [c.id for c in own]
            self.collections = [[] for _ in own]
            self.enabled = [c.enabled for c in own]
            self.hidden_counts = [c.count for c in own]
            self.openers = [0 for _ in own]
            self.status = part.status
            self.variables = named(part.variables)
            self.seats = list(part.seats)
        self.epoch, self.revision, self.complete = part.epoch, part.revision, part.complete
        for item in part.items:
            self.at(item.collection).append(item.id)
            self.hidden_counts[item.collection - 1] -= 1
            self.items[item.id] = Item(item)
            self.open(item)
        for opened in part.collections:
            if opened.item:
                self.at(opened.handle)
                self.names[opened.handle - 1] = opened.id
                self.enabled[opened.handle - 1] = opened.enabled
                self.hidden_counts[opened.handle - 1] += opened.count
        if part.complete:
            self.last_seq = part.last_seq

    def diff(self, diff):
        """client.md, Diffs: apply."""
        if diff.revision != self.revision + 1:
            raise Mismatch(f"diff {diff.revision} does not follow revision {self.revision}")
        for change in diff.changes:
            kind = change.WhichOneof("kind")
            getattr(self, f"apply_{kind}")(getattr(change, kind))
        self.revision = diff.revision

    def apply_moved(self, moved):
        for item in moved.items:
            self.take(item)
        self.put(moved.items, moved.destination)

    def apply_inserted(self, inserted):
        self.put([item.id for item in inserted.items], inserted.destination)
        for item in inserted.items:
            self.items[item.id] = Item(item)
            self.open(item)

    def apply_removed(self, removed):
        for item in removed.items:
            self.take(item)
        for item in removed.items:
            if opened := self.items.pop(item).opens:
                if self.at(opened):
                    raise Mismatch(f"collection {opened} is gone and has items")
                self.collections[opened - 1] = self.names[opened - 1] = None

    def open(self, item):
        """[Q1, Q2]"""
        if not item.opens:
            return
        while len(self.collections) < item.opens:
            for column, nothing in [
                (self.collections, None), (self.names, None), (self.enabled, True), (self.hidden_counts, 0), (self.openers, 0)
            ]:
                column.append(nothing)
        if self.collections[item.opens - 1] is not None:
            raise Mismatch(f"collection {item.opens} is open already")
        self.collections[item.opens - 1], self.names[item.opens - 1] = [], f"?/{item.opens}"
        self.enabled[item.opens - 1], self.hidden_counts[item.opens - 1] = True, 0
        self.openers[item.opens - 1] = item.id

    def apply_faced(self, faced):
        for item in faced.items:
            if item.id not in self.items:
                raise Mismatch(f"a face for item {item.id}, which is not there")
            self.items[item.id] = Item(item)

    def apply_status(self, status):
        self.status = status.status

    def apply_enabled(self, enabled):
        self.at(enabled.collection)
        self.enabled[enabled.collection - 1] = enabled.enabled

    def apply_counted(self, counted):
        if self.at(counted.collection):
            raise Mismatch(f"a count of collection {counted.collection}, whose items are received")
        self.hidden_counts[counted.collection - 1] = counted.count

    def apply_variables(self, variables):
        for variable in variables.set:
            self.variables.pop(variable.name, None)
        self.variables.update(named(variables.set))

    def apply_seats(self, seats):
        self.seats = list(seats.seats)

    def at(self, handle):
        if not 1 <= handle <= len(self.collections) or self.collections[handle - 1] is None:
            raise Mismatch(f"collection {handle} is not there")
        return self.collections[handle - 1]

    def take(self, item):
        for collection in self.collections:
            if collection is not None and item in collection:
                collection.remove(item)
                return
        raise Mismatch(f"item {item} is not there")

    def put(self, items, destination):
        collection = self.at(destination.collection)
        if destination.before and destination.before not in collection:
            raise Mismatch(f"the anchor {destination.before} is not there")
        index = collection.index(destination.before) if destination.before else len(collection)
        collection[index:index] = items

    def hash(self):
        encoded = b""
        for index, items in enumerate(self.collections):
            if items is None:
                continue
            encoded += bytes([self.enabled[index]]) + word(len(items) + self.hidden_counts[index])
            encoded += word(order_hash(items))
            if self.openers[index]:
                encoded += word(index + 1) + word(self.openers[index])
        encoded += word(sum(item.hash() for item in self.items.values()))
        encoded += text(self.status) + attributes(self.variables) + word(len(self.seats))
        for seat in sorted(self.seats, key=lambda seat: seat.seat):
            encoded += word(seat.seat + (seat.absent << 32)) + word(seat.person) + text(seat.name)
        return byte_hash(encoded)

    def named(self, name):
        """The items of the collection called `name`, and its handle."""
        index = self.names.index(name)
        return self.collections[index], index + 1


# ---- positions [client.md, Prediction]


class Position(typing.NamedTuple):
    """A place in a collection that an item occupies or has left. Where it is among the others never changes."""

    item: int
    made: int = 0  # The revision that made it; 0 for one of a snapshot.
    session: int = 0  # The session whose position it is; 0 for nobody's.
    run: int = 0  # The positions that the session made one beside the other; 0 for none.
    left: float = math.inf  # The revision that took the item out.
    taker: int = 0  # The session that did.
    heir: int = 0  # The revision of the undo that put the item back: the position that it made counts as one with this.

    def __deepcopy__(self, memo):
        return self


class PositionView(View):
    """A view whose collections are lists of positions, most of them occupied."""

    session, is_undo = 0, False  # Who makes the present changes, and whether they may put back what had left.

    def snapshot(self, part):
        super().snapshot(part)
        if part.complete:  # Nothing of before: no vacant position, and none is anybody's.
            self.positions = collections.defaultdict(list)
            for handle, items in enumerate(self.collections, 1):
                self.positions[handle] = [Position(item) for item in items or []]

    def diff(self, diff):
        self.session, self.is_undo = diff.author, diff.author != 0 and not diff.operation
        super().diff(diff)

    def take(self, item):
        for handle, positions in self.positions.items():
            for index, position in enumerate(positions):
                if position.item == item and position.left == math.inf:
                    positions[index] = position._replace(left=self.revision + 1, taker=self.session)
                    return self.refresh(handle)
        raise Mismatch(f"item {item} is not there")

    def put(self, items, destination):
        """Before the vacant position that a diff names, or else before the anchor. An undo puts back behind what the items left."""
        handle, positions = destination.collection, self.positions[destination.collection]
        end = self.index(destination.before, handle)
        if end is None:
            raise Mismatch(f"the anchor {destination.before} is not there")
        start = next((i for i in range(end, 0, -1) if positions[i - 1].left == math.inf), 0)
        gone = (destination.gone, destination.gone_revision)
        index = next((i for i in range(start, end) if (positions[i].item, positions[i].left) == gone), end)
        left = [index]
        for item in reversed(items):
            left.append(next((i for i in range(left[-1] - 1, start - 1, -1) if positions[i].item == item), -1))
        if not self.is_undo or left[1] != index - 1 or -1 in left:
            return self.put_at(index, items, handle)
        for i in left[1:]:
            heir = Position(positions[i].item, self.revision + 1, positions[i].session, positions[i].run)
            positions[i:i + 1] = [positions[i]._replace(heir=heir.made), heir]
        self.refresh(handle)

    def put_at(self, index, items, handle):
        """Makes positions of the present session, of the run in front of them, else of the one behind, else of a new one."""
        self.at(handle)
        positions, session = self.positions[handle], self.session
        runs = [p.run for p in positions[max(index - 1, 0):index + 1] if session and p.session == session]
        run = (runs + [self.revision + 1])[0] if session else 0
        positions[index:index] = [Position(item, self.revision + 1, session, run) for item in items]
        self.refresh(handle)

    def refresh(self, handle):
        self.collections[handle - 1] = [p.item for p in self.positions[handle] if p.left == math.inf]

    def index(self, item, handle):
        """The index of an item's position in a collection, of the end for 0; none if it is not there."""
        self.at(handle)
        positions = self.positions[handle]
        here = (i for i, p in enumerate(positions) if p.item == item and p.left == math.inf)
        return next(here, None) if item else len(positions)

    def forget(self, oldest):
        """Forgets the vacant positions that no operation can name any more."""
        for positions in self.positions.values():
            positions[:] = [p for p in positions if p.left > oldest]

    def landing(self, left, right, handle, base):
        """The index in a gap where a block lands: beside a position of its session's, or else the last one inside the fewest runs.
        What was vacant at the base does not count.
        """
        positions = self.positions[handle]
        if left >= 0 and positions[left].session == self.session:
            return left + 1
        if right == len(positions) or positions[right].session == self.session:
            return right
        first = max(left, 0)
        runs = [p.run if p.left > base else 0 for p in positions[first:right + 1]]
        return min(range(right, left, -1), key=lambda i: len({*runs[:i - first]} & {*runs[i - first:]} - {0}))


# ---- the report


class Report:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, holds, what, detail=""):
        if holds:
            self.passed += 1
            print(f"ok    {what}")
        else:
            self.failed += 1
            print(f"FAIL  {what}{': ' if detail else ''}{detail}")
        return holds

    def equal(self, found, expected, what):
        return self.check(found == expected, what, f"{found!r} is not {expected!r}")

    @contextlib.contextmanager
    def section(self, title):
        print(f"\n{title}")
        try:
            yield
        except Exception:  # A section that breaks off is a failure, and no reason to leave the others out.
            self.check(False, title, traceback.format_exc())


# ---- vectors [X1, X2, X5, X6, X8]


def check_numbers(report):
    """A parser whose only numbers are doubles reads the vectors as they are [F8]."""
    files = sorted((PROTOCOL / "vectors").glob("*.json"))
    numbers = []
    for file in files:
        json.loads(file.read_text(), parse_int=lambda text: numbers.append(int(text)))
    report.check(numbers and max(map(abs, numbers)) < 1 << 53, f"{len(files)} files of vectors: {len(numbers)} numbers, none too large")


def check_messages(contract, report):
    from google.protobuf import json_format

    vectors = json.loads((PROTOCOL / "vectors" / "messages.json").read_text())
    wrong = []
    for vector in vectors:
        kind = contract.ClientMessage if vector["direction"] == "client" else contract.ServerMessage
        encoded = bytes.fromhex(vector["message"])
        message = kind.FromString(encoded)
        if (
            message != json_format.ParseDict(vector["json"], kind())
            or message.SerializeToString(deterministic=True) != encoded
            or (varint(len(encoded)) + encoded).hex() != vector["delimited"]
        ):
            wrong.append(vector["name"])
    report.check(vectors and not wrong, f"messages.json: {len(vectors)} messages, byte for byte", ", ".join(wrong))


def check_readings(contract, report):
    cases = json.loads((PROTOCOL / "vectors" / "readings.json").read_text())["cases"]
    # The generated parser drops what a later member of a oneof replaces, unknown values of enumerations included.
    cases = [case for case in cases if case["direction"] == "server" and case["id"] != "readings-34"]
    wrong = []
    for case in cases:
        try:
            found = read(contract, bytes.fromhex(case["bytes"])).SerializeToString(deterministic=True).hex()
        except Malformed:
            found = None
        if found != case.get("same"):
            wrong.append(case["id"])
    report.check(cases and not wrong, f"readings.json: {len(cases)} messages of a daemon", ", ".join(wrong))


def check_hashes(contract, report):
    from google.protobuf import json_format

    vectors = json.loads((PROTOCOL / "vectors" / "hashes.json").read_text())
    found = {
        "mixes": [mix(int(v["word"], 16)) for v in vectors["mixes"]],
        "bytes": [byte_hash(bytes.fromhex(v["bytes"])) for v in vectors["bytes"]],
        "faces": [Item(json_format.ParseDict(v["item"], contract.Item())).hash() for v in vectors["faces"]],
        "orders": [order_hash(v["items"]) for v in vectors["orders"]],
    }
    wrong = [f"{kind} {i}" for kind in found for i, hash in enumerate(found[kind])
             if f"{hash:016x}" != vectors[kind][i]["hash"]]
    report.check(all(found.values()) and not wrong, "hashes.json: the parts of the view hash", "; ".join(wrong))


def check_states(contract, report):
    cases = json.loads((PROTOCOL / "vectors" / "states.json").read_text())["cases"]
    count, wrong = 0, []
    for case in cases:
        view = View()
        for step in case["steps"]:
            count += 1
            for encoded in step["messages"]:
                message = contract.ServerMessage.FromString(bytes.fromhex(encoded))
                body = message.WhichOneof("body")
                getattr(view, body)(getattr(message, body))
            collections = [items for items in view.collections if items is not None]
            found = (view.revision, collections, view.status, f"{view.hash():016x}")
            if found != (step["revision"], step["collections"], step["status"], step["hash"]):
                wrong.append(f"{case['id']}, {step['says']}")
    report.check(count and not wrong, f"states.json: {len(cases)} views, {count} states and hashes", "; ".join(wrong))


# ---- a connection [F1, F2, F4; client.md, Connection]


class Malformed(Exception):
    """A message that a client does not read: it closes the connection, and resumes [F4]."""


def read(contract, encoded):
    """A message of the daemon's."""
    try:
        message = contract.ServerMessage.FromString(encoded)
    except contract.DecodeError as error:
        raise Malformed(str(error)) from error
    body = message.WhichOneof("body")
    content = getattr(message, body) if body else None
    numbers = [getattr(content, name, 0) for name in ("session", "epoch", "revision", "last_seq", "author", "seq")]
    if body != "drag" and max(numbers) >= 1 << 53:
        raise Malformed("a number of 2^53 or more")
    if body == "diff" and content.operation not in contract.DropOperation.values():
        raise Malformed("an unknown operation")
    if body == "diff" and any(change.WhichOneof("kind") is None for change in content.changes):
        raise Malformed("a change without a known kind")
    if body == "outcome" and content.verdict not in contract.Verdict.values():
        raise Malformed("an unknown verdict")
    return message


class Ended(Exception):
    """The connection is at its end."""


class Connection:
    def __init__(self, contract, address, source=None):
        self.contract = contract
        self.socket = socket.create_connection(address, timeout=REPLY_SECONDS, source_address=source)
        self.received = b""

    def send(self, **body):
        message = self.contract.ClientMessage(**body).SerializeToString(deterministic=True)
        self.send_bytes(varint(len(message)) + message)

    def send_bytes(self, content):
        self.socket.sendall(content)

    def receive(self):
        """The next message's kind and body."""
        length = self.read_varint()
        message = read(self.contract, self.read(length))
        body = message.WhichOneof("body")
        return body, getattr(message, body) if body else None

    def read_varint(self):
        number = shift = 0
        while True:
            byte = self.read(1)[0]
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    def read(self, count):
        while len(self.received) < count:
            content = self.socket.recv(65536)
            if not content:
                raise Ended()
            self.received += content
        taken, self.received = self.received[:count], self.received[count:]
        return taken

    def close(self):
        self.socket.close()

    def goodbye(self):
        """Reads to the end; the daemon's last message [H5]."""
        last = None
        try:
            while True:
                body, message = self.receive()
                last = message if body == "goodbye" else None
        except (Ended, ConnectionError):
            return last


class Client:
    """A participant without predictions, which waits for each answer [client.md, Operations]. Tests choose the fields of its
    operations, so that it can also send what a client must not."""

    def __init__(self, contract, address, table, credential=None, session_name=b"", **hello):
        self.contract, self.address, self.table = contract, address, table
        self.credential, self.session_name = credential or secrets.token_bytes(32), session_name
        self.seq = 0
        self.join(**hello)

    def join(self, **hello):
        """Sends a hello and loads the snapshot, or applies the missed diffs [J1, J9, J10, J15; client.md, Connecting again]."""
        self.connection = Connection(self.contract, self.address)
        self.messages = []
        self.seats, self.drags, self.chats, self.answers, self.pong, self.farewell = None, [], [], {}, None, None
        own = {"credential": self.credential, "session_name": self.session_name}
        self.connection.send(hello=self.contract.Hello(protocol=1, table=self.table, **own, **hello))
        body, message = self.connection.receive()
        if body != "welcome":
            raise RuntimeError(f"no welcome but {body}: {message}")
        self.welcome = message
        if message.table_type:
            self.view = View()
        while not self.view.complete or self.view.revision < message.revision:
            self.step()

    def resume(self, **hello):
        self.join(
            ticket=self.welcome.ticket, epoch=self.view.epoch, revision=self.view.revision, **hello)

    def step(self):
        """Handles one message [client.md, States]."""
        body, message = self.connection.receive()
        if body == "snapshot":
            self.view.snapshot(message)
        elif body == "diff":
            self.view.diff(message)
            self.messages.append(message)
            if message.author == self.welcome.session:
                self.answers[message.seq] = message
        elif body == "outcome":
            self.answers[message.seq] = message
        elif body == "pong":
            self.pong = message
        elif body == "seats":
            self.seats = message.seats
        elif body == "drag":
            self.drags.append(message)
        elif body == "chat":
            self.chats.append(message)
        elif body == "goodbye":
            self.farewell = message

    def submit(self, unanswered=0, seq=None, base=None, epoch=None, **kind):
        """Sends an operation and returns its number [O1, O3]."""
        if seq is None:
            self.seq += 1
            seq = self.seq
        operation = self.contract.Operation(
            seq=seq,
            base_revision=self.view.revision if base is None else base,
            epoch=self.view.epoch if epoch is None else epoch,
            unanswered=unanswered,
            **kind,
        )
        self.answers.pop(seq, None)
        self.connection.send(operation=operation)
        return seq

    def answer(self, seq):
        while seq not in self.answers:
            self.step()
        return self.answers[seq]

    def ask(self, **kind):
        """Submits an operation and returns its verdict as a short text."""
        return self.verdict(self.answer(self.submit(**kind)))

    def verdicts(self, *seqs):
        return [self.verdict(self.answer(seq)) for seq in seqs]

    def verdict(self, answer):
        """Returns the verdict of an answer as a short text."""
        if isinstance(answer, self.contract.Diff):
            return "accepted"
        verdict = self.contract.Verdict.Name(answer.verdict)
        return f"{verdict} {answer.reason}" if answer.reason else verdict

    def reorder(self, sources, handle, before=0, suggested=0):
        destination = self.contract.Destination(collection=handle, before=before)
        return {"reorder": self.contract.Reorder(sources=sources, destination=destination, suggested=suggested)}

    def perform(self, action, items=()):
        return {"perform": self.contract.Perform(action=action, items=items)}

    def with_key(self, key):
        """The item with a key, by the attribute that the table type's document names [table-types.md, Keys]."""
        name = json.loads(self.welcome.table_type)["key"]
        return next((id for id, item in self.view.items.items() if item.attributes.get(name) == key), None)

    def agrees(self):
        """Whether the daemon's hash is this view's [H3, V8]."""
        nonce = secrets.randbits(32) or 1
        self.connection.send(ping=self.contract.Ping(nonce=nonce, want_hash=True))
        self.pong = None
        while self.pong is None:
            self.step()
        pong = self.pong
        return (pong.nonce, pong.epoch, pong.revision, pong.view_hash) == (
            nonce, self.view.epoch, self.view.revision, self.view.hash())


# ---- a client by the chapter [client.md]


class Pending:
    """An operation without a final answer [client.md, What a client keeps: pending]."""

    def __init__(self, message):
        self.message = message
        self.in_state = False
        self.retry = ""
        self.may_be_lost = False  # Whether others may have changed what it is about in ways that a snapshot does not tell [C15].


def stands_alike(seen, now, item):
    """Whether an item is the same in two views, in the same collection and beside a neighbor of before."""
    if item not in seen.items or item not in now.items:
        return item not in seen.items and item not in now.items
    here, there = (view.standing(item) for view in (seen, now))
    return here[0] == there[0] and (here[1] == there[1] or here[2] == there[2])


def destination_of(message):
    """The destination of a reorder or an insert, or none."""
    kind = message.WhichOneof("kind")
    return getattr(message, kind).destination if kind in ("reorder", "insert") else None


def provisional(seq, k):
    return 1 << 52 | seq << 12 | k  # O10


class Outcome(typing.NamedTuple):
    """What became of a drop of one's own, for the names that later ones give."""

    revision: int  # That it led to, or at which it was judged; -1 if it was refused.
    is_accepted: bool
    destination: object


HELD = "HELD"  # Waits for the answer to an undo.
AT_ONCE = ("STALE_BASE", "NOT_PLACED", HELD)  # What is due again without a pause [C6].


def maker(item):
    """The number of the operation that was to make the item with a provisional id; 0 for other items."""
    return (item ^ 1 << 52) >> 12 if item >= 1 << 52 else 0


class Player:
    """A participant that shows its operations at once, sends several before their answers, and sends them again when that is
    due. It is the pseudo-code of Protocol/client.md under the same names: the headings below are its sections, and the comments
    name the same rules."""

    def __init__(self, contract, address, table, **hello):
        # ---- What a client keeps
        self.contract, self.address, self.table, self.hello = contract, address, table, hello
        self.credential, self.session_name = secrets.token_bytes(32), secrets.token_bytes(16)  # J11
        self.ticket, self.session, self.seat, self.max_pending, self.table_type = b"", 0, 0, 0, ""
        self.attempt = time.time_ns() // 1_000_000
        self.confirmed = self.visible = self.loaded = None
        self.pending, self.next_seq, self.ids = [], 1, {}
        self.outcomes = {}  # Of its drops that were answered, as long as pending operations may name them.
        self.state, self.fresh = "waiting", True
        self.is_wrong = False  # Whether the confirmed state is known to be wrong [J15].
        self.attempts, self.retry_after = 0, 0.0
        self.seats, self.drags, self.values, self.chats, self.ends = None, {}, {}, [], [None, None]  # Presence.
        self.watching = (0, [])
        self.answers = {}  # The answers that the app received, by operation.
        self.sent = []  # The numbers of all operations sent.
        self.connect()

    # ---- Connecting again

    def connect(self):
        hello = self.contract.Hello(protocol=1, table=self.table, **self.hello)  # J1, J2
        hello.credential, hello.session_name, hello.ticket = self.credential, self.session_name, self.ticket  # J11
        self.attempt += 1
        hello.attempt = self.attempt  # J13
        if self.confirmed and not self.is_wrong:
            hello.epoch, hello.revision = self.confirmed.epoch, self.confirmed.revision  # J15
        self.connection = Connection(self.contract, self.address)
        self.sent_at = time.monotonic()
        self.connection.send(hello=hello)
        self.state, self.fresh = "greeting", True
        while self.state not in ("live", "waiting", "ended"):
            self.step()

    def lose(self):
        self.connection.close()
        self.state, self.values, self.watching = "waiting", {}, (0, [])  # P12, P14

    def connect_again(self):
        """With a delay that grows and has jitter [C10]."""
        delay = min(30, 0.01 * 2**self.attempts) * random.uniform(0.5, 1)
        time.sleep(max(delay, self.retry_after))
        self.attempts += 1
        self.connect()

    def receive_welcome(self, welcome):  # J9
        if self.ticket and welcome.ticket != self.ticket:  # J12
            self.lose_session()  # C9
        elif self.session and welcome.seat != self.seat:
            for op in self.pending:  # J14, J19
                if not op.message.HasField("made_as"):
                    op.message.made_as = self.seat
            self.is_wrong = True
        self.welcome, self.attempts, self.retry_after = welcome, 0, 0.0
        self.ticket, self.session, self.seat = welcome.ticket, welcome.session, welcome.seat
        self.max_pending = welcome.max_pending
        self.table_type = welcome.table_type or self.table_type
        self.state = "loading" if welcome.table_type else "catching up"  # J10, J15
        self.live_if_caught_up()

    def lose_session(self):
        self.lose_pending()
        self.confirmed, self.next_seq, self.ids, self.outcomes = None, 1, {}, {}

    def lose_pending(self):
        self.answers |= {op.message.seq: "UNKNOWN" for op in self.pending}
        self.pending = []

    def live_if_caught_up(self):
        if self.state == "catching up" and self.confirmed.revision == self.welcome.revision:
            self.become_live(self.welcome.last_seq)

    def become_live(self, judged):
        """`judged` is 0 after a snapshot: only diffs bring the answers that are missing."""
        self.state, self.fresh = "live", False
        for op in self.pending:  # C5
            op.retry = HELD if op.retry == HELD else ""
            if not op.retry and (op.in_state or op.message.seq > judged):  # J15: the answers to the others come
                self.send(op)

    # ---- States

    def step(self):
        if self.state == "live" and time.monotonic() - self.sent_at >= self.welcome.heartbeat_seconds:
            self.ping()  # H1
        try:
            body, message = self.connection.receive()
        except Malformed:
            return self.lose()  # F4
        receive = getattr(self, f"receive_{body}", None)
        if receive:  # F6
            receive(message)

    def receive_goodbye(self, goodbye):
        self.connection.close()
        self.retry_after = goodbye.retry_after_ms / 1000  # C10, H5
        self.state = "waiting" if goodbye.resumable else "ended"  # E2, E3
        if not goodbye.resumable:
            self.lose_pending()  # C9

    def ping(self, want_hash=False):
        self.sent_at = time.monotonic()
        self.connection.send(ping=self.contract.Ping(nonce=1, want_hash=want_hash))

    def receive_pong(self, pong):
        """Compares the confirmed state [C1, V8], unless a snapshot is on its way [C3]."""
        is_comparable = self.state == "live" and (pong.epoch, pong.revision) == (self.confirmed.epoch, self.confirmed.revision)
        if pong.view_hash and is_comparable and pong.view_hash != self.confirmed.hash():
            self.request_snapshot("the hash differs")

    def request_snapshot(self, why):
        self.connection.send(snapshot_request=self.contract.SnapshotRequest(why=why))  # C3
        self.state, self.is_wrong = "loading", True

    def may_send(self):
        return self.state == "live" or (self.state == "loading" and not self.fresh)  # C3

    def send(self, op):
        self.sent.append(op.message.seq)
        self.sent_at = time.monotonic()
        self.connection.send(operation=op.message)

    # ---- Operations

    def submit(self, **kind):
        """The operation's number; 0 for a move that changes nothing, and that no pending operation is about: it is not sent."""
        if len(self.pending) == self.max_pending:
            raise RuntimeError("try later")  # O4
        message = self.contract.Operation(
            seq=self.next_seq, base_revision=self.confirmed.revision, epoch=self.confirmed.epoch,
            unanswered=len(self.pending), **kind)  # O1, O3, C4
        self.rename(message, self.named)
        destination, sources = destination_of(message), message.reorder.sources
        if destination and destination.before not in self.leaving(message):
            index = self.visible.index(destination.before, destination.collection)
            if index is not None:
                self.name(message, index, self.pending)
        op = Pending(message)
        # C6: it waits with them
        op.retry = next((earlier.retry for earlier in self.pending if earlier.retry), "") or self.hold(op)
        shown = self.visible.collections
        self.pending.append(op)
        self.show()  # C2
        is_move = sources and message.reorder.suggested in (0, MOVE) and all(item in self.visible.items for item in sources)
        if is_move and self.visible.collections == shown and not any(
            self.is_about(earlier, item) for earlier in self.pending[:-1] for item in sources
        ):
            self.pending.pop()
            self.show()
            return 0
        self.next_seq += 1
        if self.may_send() and not op.retry:
            self.send(op)
        return message.seq

    def hold(self, op):
        """Nothing is sent behind a pending undo, which may come too late: it waits for the answer."""
        earlier = itertools.takewhile(lambda other: other is not op, self.pending)
        return HELD if any(other.message.WhichOneof("kind") == "undo" for other in earlier) else ""

    def is_about(self, op, item):
        kind = op.message.WhichOneof("kind")
        body = getattr(op.message, kind)
        items = body.sources if kind == "reorder" else body.items if kind in ("remove", "perform") else []
        return kind == "undo" or maker(item) == op.message.seq or item in [self.named(other) for other in items]

    def leaving(self, message):
        """The items that leave their positions for a gap, and are no neighbors of it."""
        return [] if message.reorder.suggested == COPY else [self.named(item) for item in message.reorder.sources]

    def named(self, item):
        return self.ids.get(item, item)

    def rename(self, message, name):
        """Gives items other ids."""
        body = getattr(message, message.WhichOneof("kind"))
        for field in ("sources", "items"):
            if hasattr(body, field) and message.WhichOneof("kind") != "insert":
                items = getattr(body, field)
                items[:] = [name(item) for item in items]
        if message.WhichOneof("kind") == "update":
            body.item = name(body.item)
        destination = destination_of(message)
        if destination:
            destination.before = name(destination.before)
            if destination.after:
                destination.after = name(destination.after)

    def name(self, message, index, earlier):
        """Names the neighbors of a gap, and the pending operations that put them where they are shown [O11]."""
        destination, sources = destination_of(message), self.leaving(message)
        if self.visible.hidden_counts[destination.collection - 1]:  # S11
            return
        positions = self.visible.positions[destination.collection]
        shown = [p.left == math.inf and p.item not in sources for p in positions]
        before = next(itertools.compress(positions[index:], shown[index:]), None)
        after = next(itertools.compress(positions[:index][::-1], shown[:index][::-1]), None)
        destination.before = before.item if before else 0
        if after:
            destination.after = after.item
        else:
            destination.start = True
        for field, position in (("before_by", before), ("after_by", after)):
            destination.ClearField(field)
            if position and position.made > self.confirmed.revision:
                by = next(seq for seq, outcome in self.predicted.items() if outcome.revision == position.made)
                setattr(destination, field, by)
            elif position and any(self.is_about(op, position.item) for op in earlier):
                setattr(destination, field, 0)

    # ---- Diffs

    def receive_diff(self, diff):
        own = self.pending_operation(diff.seq) if diff.author == self.session else None  # A2
        if self.state == "loading":
            return self.settle(own, "accepted", diff.minted, diff.revision)  # C3
        try:
            self.confirmed.diff(diff)  # D1, D4-D8
        except Mismatch as mismatch:
            self.settle(own, "accepted", diff.minted, diff.revision)
            self.request_snapshot(str(mismatch))  # D1
            return
        self.confirmed.forget(diff.revision - self.welcome.history)
        self.keep_values(self.confirmed.seats)
        self.settle(own, "accepted", diff.minted, diff.revision)
        self.show()  # C2
        self.live_if_caught_up()  # J15
        self.send_again_if_due()

    # ---- Answers

    def pending_operation(self, seq):
        return next((op for op in self.pending if op.message.seq == seq), None)

    def receive_outcome(self, outcome):
        op = self.pending_operation(outcome.seq)
        if not op:
            return  # J15: answered before
        verdict = self.contract.Verdict.Name(outcome.verdict)
        if verdict == "RETRY":
            op.retry = outcome.reason  # A5
        else:
            revision = outcome.revision if verdict != "REFUSED" else -1
            self.settle(op, f"{verdict} {outcome.reason}".strip(), outcome.minted, revision)
            self.show()  # C2
        self.send_again_if_due()

    def settle(self, op, verdict, minted, revision):
        if op:
            self.pending.remove(op)
            seq, destination = op.message.seq, destination_of(op.message)
            self.ids |= {provisional(seq, k): item for k, item in enumerate(minted) if item}  # O10, D3
            self.answers[seq] = verdict
            if destination and op.message.epoch == self.confirmed.epoch:
                self.outcomes[seq] = Outcome(revision, verdict != "UNCHANGED", destination)
            oldest = min((op.message.seq - op.message.unanswered for op in self.pending), default=self.next_seq)
            self.outcomes = {seq: outcome for seq, outcome in self.outcomes.items() if seq >= oldest}

    def answer(self, seq):
        while seq not in self.answers:
            self.step()
        return self.answers[seq]

    # ---- Retry

    def send_again_if_due(self):
        if self.state != "live" or not self.pending or not all(op.retry for op in self.pending):
            return  # C6, A6
        if any(op.retry not in AT_ONCE for op in self.pending):
            time.sleep(0.1)  # C6
        self.express(self.pending)
        self.send_pending()

    def send_pending(self):
        for op in self.pending:
            if not op.retry:
                self.send(op)

    def express(self, pending):
        """Expresses operations on the present state [C6, A7]."""
        self.hide()
        for index, op in enumerate(self.pending):
            if op in pending:
                message, destination = op.message, destination_of(op.message)
                index_there = None
                if destination and not self.is_unanswered(destination.before):
                    index_there = self.place(message)
                message.base_revision, message.epoch = self.confirmed.revision, self.confirmed.epoch
                message.unanswered, op.retry = index, self.hold(op)
                message.base_lost |= op.may_be_lost  # C15
                self.rename(message, self.named)
                self.leave_out_gone(message)
                if index_there is not None:
                    self.name(message, index_there, self.pending[:index])
            if not op.in_state:
                self.predict(op)

    def leave_out_gone(self, message):
        """With a new base the daemon would refuse an operation for one item that is not on the table [G6]."""
        items = message.remove.items if message.WhichOneof("kind") == "remove" else message.reorder.sources
        left = [item for item in items if item >= 1 << 52 or item in self.visible.items]
        is_partial = json.loads(self.table_type).get("partialMoves", False)
        if left and is_partial and message.reorder.suggested != COPY:
            items[:] = left

    def is_unanswered(self, item):
        """Whether an item is on the table, but only the daemon knows under which id [K7]."""
        return any(op.in_state and op.message.seq == maker(item) for op in self.pending)

    # ---- Snapshots

    def receive_snapshot(self, part):
        if part.first:
            self.state, self.loaded = "loading", PositionView()  # S1, S2
        self.loaded.snapshot(part)
        if not part.complete:
            return
        before, seen = self.confirmed, self.seen(part.last_seq)
        self.confirmed, self.is_wrong = self.loaded, False
        for op in self.pending:
            op.may_be_lost |= not self.agrees(seen, op.message)
        is_other_epoch = before is not None and before.epoch != part.epoch
        if is_other_epoch:
            self.renumber(part)  # C8
        else:
            for op in self.pending:
                op.in_state = op.message.seq <= part.last_seq  # S4
            self.next_seq = max(self.next_seq, part.last_seq + 1)  # O1
        self.keep_values([] if is_other_epoch else self.confirmed.seats)
        self.show()
        if self.fresh:
            self.become_live(0)  # C5
        else:
            self.state = "live"
            if is_other_epoch:  # C8
                self.send_pending()
        self.send_again_if_due()

    def seen(self, last):
        """The confirmed state with those pending operations that a newer state contains, up to a number."""
        if not self.confirmed:
            return None
        self.hide()
        for op in self.pending:
            if not op.in_state and op.message.seq <= last:
                self.predict(op)
        return self.visible

    def agrees(self, seen, message):
        """Whether what an operation is about is now as in the state that its author saw [C15]."""
        kind, now = message.WhichOneof("kind"), self.confirmed
        body = getattr(message, kind)
        items = {"reorder": lambda: body.sources, "update": lambda: [body.item]}.get(kind, lambda: getattr(body, "items", []))()
        if kind == "insert" or kind == "undo":
            items = []
        has_turns = json.loads(self.table_type).get("turns", "free") != "free"
        if (has_turns or items) and not seen:
            return False
        if has_turns and (seen.status, seen.variables) != (now.status, now.variables):
            return False
        return all(stands_alike(seen, now, item) for item in items)

    def renumber(self, part):
        self.next_seq, self.outcomes = part.last_seq + 1, {}
        self.ids = {item: id for item, id in self.ids.items() if maker(item) <= part.last_seq}  # K2
        numbers = {}

        def number(seq):
            return numbers.get(seq, 0 if seq > part.last_seq else seq)

        def name(item):
            return item if item < 1 << 52 else provisional(number(maker(item)), item & 0xFFF)

        for op in self.pending:
            op.retry = ""
            op.in_state = op.message.seq <= part.last_seq
            if op.in_state:
                continue  # Sent again as it is; its answer is repeated [A4].
            old, op.message.seq = op.message.seq, self.next_seq
            self.next_seq += 1
            numbers[old] = op.message.seq
            self.rename(op.message, name)
            op.message.base_revision = part.revision
            destination = destination_of(op.message)
            for field in ("before_by", "after_by"):
                if destination and getattr(destination, field):
                    setattr(destination, field, number(getattr(destination, field)))
            if op.message.WhichOneof("kind") == "undo":
                op.message.undo.seq = numbers.get(op.message.undo.seq, 0)
        self.express([op for op in self.pending if not op.in_state])

    # ---- Prediction

    def hide(self):
        self.visible, self.predicted = copy.deepcopy(self.confirmed), dict(self.outcomes)
        self.visible.session = self.session

    def show(self):
        self.hide()
        for op in self.pending:
            if not op.in_state:  # S4
                self.predict(op)

    def predict(self, op):
        if op.message.HasField("made_as") and op.message.made_as != self.seat:
            return  # C9: whether the seat matters, the daemon says.
        view, message, kind = self.visible, op.message, op.message.WhichOneof("kind")
        body, gap = getattr(message, kind), destination_of(message)
        if gap:
            index = self.place(message)
            if kind == "insert":
                new = [Item(self.contract.Item(attributes=i.attributes, representations=i.representations)) for i in body.items]
                items = [provisional(message.seq, k) for k in range(len(new))]
                view.items |= zip(items, new)
            else:
                items = [item for item in map(self.named, body.sources) if item in view.items]
                if body.suggested == COPY:
                    new = [copy.deepcopy(view.items[item]) for item in items]
                    items = [provisional(message.seq, k) for k in range(len(new))]
                    view.items |= zip(items, new)
                else:
                    for item in items:
                        view.take(item)
            view.put_at(index, items, gap.collection)
            self.predicted[message.seq] = Outcome(view.revision + 1, True, gap)
        elif kind == "remove":
            present = [item for item in map(self.named, body.items) if item in view.items]
            view.apply_removed(self.contract.Removed(items=present))
        elif kind == "update" and body.item in view.items:
            for attribute in body.attributes:
                view.items[body.item].attributes.pop(attribute.name, None)
            view.items[body.item].attributes.update(named(body.attributes))
        view.revision += 1

    def place(self, message):
        """The index among the visible positions where an operation's block lands."""
        gap = destination_of(message)
        return self.visible.landing(*self.gap(message, gap), gap.collection, message.base_revision)

    def gap(self, message, gap):
        """The indices of the two positions that a gap is between, as its author saw them; -1 is the start."""
        positions, base, own = self.visible.positions[gap.collection], message.base_revision, self.session
        sources, made = self.leaving(message), {o.revision for o in self.predicted.values() if o.is_accepted}

        def find(is_sought, indices=range(len(positions)), default=None):
            """The first of these, or what counts as one with it in the end."""
            index = next((i for i in indices if is_sought(positions[i])), default)
            while index != default and positions[index].heir:
                heir = positions[index].item, positions[index].heir
                index = next(i for i, p in enumerate(positions) if (p.item, p.made) == heir)
            return index

        def is_seen(p):
            is_there = p.left == math.inf or p.left > base and p.taker != own
            return is_there and (p.made <= base or p.made in made) and p.item not in sources

        def front(index):
            return find(is_seen, range(index - 1, -1, -1), -1)

        def back(index):
            return find(is_seen, range(index + 1, len(positions)), len(positions))

        def neighbor(item, by, nearest):
            """The position that the item had when operation `by` had put it there, or else at the base; none if it is not known."""
            item = self.named(item)
            revision, is_new, _ = self.predicted.get(by, (base, False, None))
            index = find(lambda p: p.item == item and p.made <= revision < p.left and (not is_new or p.made in (0, revision)))
            return nearest(index) if item in sources and index is not None else index

        right = neighbor(gap.before, gap.before_by, back) if gap.before else len(positions)
        left = neighbor(gap.after, gap.after_by, front) if gap.after else -1 if gap.start else None
        # An operation of one's own was to put it there, and did not.
        is_lost = left is None and gap.after_by in self.predicted or right is None and gap.before_by in self.predicted
        if left is None and right is None:
            instead = self.predicted[gap.before_by].destination if gap.before_by in self.predicted else None
            if instead and instead.collection == gap.collection:
                return self.gap(message, instead)
            return len(positions) - 1, len(positions)
        if right is None:
            return left, back(left) if is_lost else left + 1
        if not gap.before and left is not None:
            return left, back(left)
        return left if left is not None and left < right else front(right), right

    # ---- Presence

    def receive_seats(self, seats):
        self.seats = seats.seats  # P6
        self.keep_values([seat for seat in seats.seats if seat.connected])

    def keep_values(self, seats):
        seated = {session for seat in seats for session in seat.sessions or [seat.person]}
        self.values = {session: value for session, value in self.values.items() if session in seated}  # P12

    def receive_presence(self, presence):
        self.values.pop(presence.session, None)
        if presence.value:  # P10, P11
            self.values[presence.session] = presence.value

    def receive_chat(self, chat):
        self.chats.append(chat)  # P13

    def receive_countdown(self, countdown):
        now = time.monotonic()  # T8
        self.ends = [now + left / 1000 if left else None for left in (countdown.turn_ms, countdown.table_ms)]

    def receive_watching(self, watching):
        self.watching = (watching.count, list(watching.asking))  # P14

    def receive_drag(self, drag):
        if drag.phase in (self.contract.Drag.ENDED, self.contract.Drag.CANCELLED):
            self.drags.pop(drag.session, None)  # P5
        elif not drag.refused:  # P7: nothing to show
            if drag.phase == self.contract.Drag.MOVED and drag.session in self.drags:
                drag.items.extend(self.drags[drag.session].items)  # P3: a movement has none of its own
            self.drags[drag.session] = drag  # P1, P2


# ---- the player without a daemon [X8]


class ScriptedConnection:
    """Keeps what is sent."""

    def __init__(self):
        self.sent = []

    def send(self, **body):
        self.sent.append(body)

    def close(self):
        pass


class ScriptedPlayer(Player):
    """A player without a daemon."""

    def connect(self):
        self.connection = ScriptedConnection()
        self.sent_at = time.monotonic()
        self.state, self.fresh = "greeting", True

    def follow(self, step, table_type):
        """Returns what it sends and shows in a step of clients.json."""
        from google.protobuf import json_format

        if step.get("does") == "lose":
            self.lose()
        elif step.get("does") == "connect":
            self.connect()
        for json_message in step.get("receives", []):
            message = json_format.ParseDict(json_message, self.contract.ServerMessage())
            if message.WhichOneof("body") == "welcome":
                message.welcome.table_type = table_type
            getattr(self, f"receive_{message.WhichOneof('body')}")(getattr(message, message.WhichOneof("body")))
        if "submits" in step:
            kind = json_format.ParseDict(step["submits"], self.contract.Operation())
            self.submit(**{kind.WhichOneof("kind"): getattr(kind, kind.WhichOneof("kind"))})
        sent = [self.contract.ClientMessage(**body) for body in self.connection.sent]
        self.connection.sent = []
        return sent, list(self.visible.collections[0]) if self.visible else []


def check_clients(contract, report):
    from google.protobuf import json_format

    vectors = json.loads((PROTOCOL / "vectors" / "clients.json").read_text())
    # This client has no store.
    cases = [case for case in vectors["cases"] if all(step.get("does") != "relaunch" for step in case["steps"])]
    wrong = []
    for case in cases:
        player = ScriptedPlayer(contract, None, "table")
        for number, step in enumerate(case["steps"], 1):
            sent, shown = player.follow(step, vectors["table_type"])
            expected = [json_format.ParseDict(message, contract.ClientMessage()) for message in step.get("sends", [])]
            if sent != expected or shown != step.get("shows", shown):
                wrong.append(f"{case['id']}, step {number}: {sent}, {shown}")
    report.check(cases and not wrong, f"clients.json: {len(cases)} cases", "; ".join(wrong))


# ---- klondike, as far as one who sees the table needs it [B4]


def is_red(item):
    return item.attributes["suit"] in ("hearts", "diamonds")


def fits(view, item, name):
    """Whether a card goes on the collection called `name`."""
    cards, _ = view.named(name)
    top = view.items[cards[-1]] if cards else None
    rank = item.attributes["rank"]
    if name.startswith("foundation/"):
        suits_match = name == f"foundation/{item.attributes['suit']}"
        return suits_match and rank == (top.attributes["rank"] + 1 if top else 1)
    if top is None:
        return rank == 13
    return not top.hidden and is_red(item) != is_red(top) and rank + 1 == top.attributes["rank"]


def legal_moves(view, seen):
    """Moves that the rules allow and that lead to a state not seen before, the most useful first."""
    targets = [name for name in view.names if name and name.startswith(("foundation/", "pile/"))]
    for name in [n for n in view.names if n.startswith("pile/")] + ["waste"]:
        cards, _ = view.named(name)
        starts = [i for i in range(len(cards)) if not view.items[cards[i]].hidden]
        for start in starts if name != "waste" else starts[-1:]:
            for target in targets:
                run = cards[start:]
                if target == name or (target.startswith("foundation/") and len(run) > 1):
                    continue
                if start == 0 and len(view.named(target)[0]) == 0 and name.startswith("pile/"):
                    continue
                move = (tuple(run), view.named(target)[1])
                if fits(view, view.items[run[0]], target) and move not in seen:
                    yield move


class Chance:
    """The generator behind a seed [B9]."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & WORD
        return mix(self.state)

    def below(self, bound):
        product = self.next() * bound
        while product & WORD < (1 << 64) % bound:
            product = self.next() * bound
        return product >> 64

    def shuffle(self, values):
        for last in range(len(values) - 1, 0, -1):
            other = self.below(last + 1)
            values[last], values[other] = values[other], values[last]


def deal(seed):
    """The ids and cards of a deck of 52, in the order in which they are dealt."""
    return deal_from(Chance(seed))


def deal_from(chance):
    deck = [(suit, rank) for suit in ("clubs", "diamonds", "hearts", "spades") for rank in range(1, 14)]
    chance.shuffle(deck)
    ids = list(range(1, 53))
    chance.shuffle(ids)
    return list(zip(ids, deck))


def sip_hash(key, message):
    """SipHash-2-4 of the 8 bytes of a word."""
    v = [key[0] ^ 0x736F6D6570736575, key[1] ^ 0x646F72616E646F6D, key[0] ^ 0x6C7967656E657261, key[1] ^ 0x7465646279746573]

    def rotated(value, bits):
        return (value << bits | value >> (64 - bits)) & WORD

    def rounds(count):
        for _ in range(count):
            for a, b, bits in ((0, 1, 13), (2, 3, 16), (0, 3, 21), (2, 1, 17)):
                v[a] = (v[a] + v[b]) & WORD
                v[b] = rotated(v[b], bits) ^ v[a]
                if bits in (13, 17):
                    v[a] = rotated(v[a], 32)

    for block in (message, 8 << 56):
        v[3] ^= block
        rounds(2)
        v[0] ^= block
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def private_id(key, number):
    """The id of the item that gets an id in a private collection as the `number`-th [B9]."""
    a, b = number >> 26, number & (1 << 26) - 1
    for r in range(10):
        if r % 2 == 0:
            a ^= sip_hash(key, r << 32 | b) & (1 << 25) - 1
        else:
            b ^= sip_hash(key, r << 32 | a) & (1 << 26) - 1
    return 1 << 51 | a << 26 | b


# ---- the protocol, played


def play_klondike(contract, address, report):
    table, seed = f"foreign-{secrets.token_hex(6)}", 7
    ada = Client(contract, address, table, table_type="klondike", name="Ada", seed=seed)
    bo = Client(contract, address, table, name="Bo", role=contract.SPECTATOR)
    view = ada.view

    with report.section("Joining"):
        welcome = ada.welcome
        report.check(welcome.protocol == 1 and welcome.seat == 1 and welcome.session, "a welcome with a seat [J9]")
        report.equal(bo.welcome.seat, 0, "a spectator has none [J6]")
        report.check(json.loads(welcome.table_type)["name"] == "klondike", "the table type's document [J9]")
        options = [("draw", 1), ("emptyPile", "king"), ("foundationToTableau", "true"), ("redeals", -1)]
        report.equal(list(named(welcome.options).items()), options, "its options, defaults included [J9]")
        while ada.seats is None:
            ada.step()
        report.equal([(s.seat, s.name, s.connected) for s in ada.seats], [(1, "Ada", True)], "the seats [P6]")
        report.equal(len(view.items), 52, "52 cards")
        dealt = deal(seed)
        piles = [view.named(f"pile/{k}")[0] for k in range(7)]
        report.equal(sum(piles, []) + view.named("stock")[0], [id for id, _ in dealt], "the seed's ids [B9]")
        faces = {id: {"suit": suit, "rank": rank} for id, (suit, rank) in dealt}
        up = [item for item in view.items.values() if not item.hidden]
        report.equal([item.id for item in up], [pile[-1] for pile in piles], "the last card of each pile is face up [B4]")
        report.check(all(item.attributes == faces[item.id] for item in up), "the seed's cards [B9]")
        report.check(ada.agrees(), "the hash of the snapshot [V6]")

    with report.section("Legal moves"):
        seen, runs, hashes, accepted = set(), [], [], []
        for _ in range(60):
            move = next(legal_moves(view, seen), None)
            if move:
                seen.add(move)
                verdict = ada.ask(**ada.reorder(*move))
            else:
                stock = view.named("stock")[0] or view.named("waste")[0]
                verdict = ada.ask(**ada.perform("draw", stock[-1:]))
            accepted.append(verdict)
            hashes.append(ada.agrees())
            piles = [view.named(f"pile/{k}")[0] for k in range(7)]
            runs = [pile for pile in piles if len(pile) > 1 and not view.items[pile[-2]].hidden]
            if len(seen) >= 6 and runs and len(accepted) > 12:
                break
        what = f"{len(seen)} moves and {len(accepted) - len(seen)} draws by its own rules [B4]"
        report.check(len(seen) >= 3 and set(accepted) == {"accepted"}, what, str(accepted))
        report.check(all(hashes), "the hash after each of them [V8]")
        seen_items = [item for item in view.items.values() if not item.hidden]
        report.check(all(i.attributes == faces[i.id] for i in seen_items if i.id in faces), "faces as they were dealt [B9]")
        report.check(bo.agrees(), "a spectator sees the same [D12]")

    with report.section("Operations in a row"):
        base, (stock, _) = view.revision, view.named("stock")
        expected = stock[-2:]
        first = ada.submit(base=base, **ada.perform("draw", expected[1:]))
        second = ada.submit(base=base, unanswered=1, **ada.perform("draw", expected[:1]))
        report.equal(ada.verdicts(first, second), ["accepted"] * 2, "two pending draws [O3]")
        report.equal(view.named("waste")[0][-2:], expected[::-1], "in their order")
        report.check(ada.agrees(), "the hash")

    with report.section("Illegal moves"):
        piles = [view.named(f"pile/{k}") for k in range(7)]
        pile, handle = next((cards, handle) for cards, handle in piles if cards and view.items[cards[0]].hidden)
        other = next(h for h in range(1, 8) if h != handle)
        top, stock = pile[-1:], view.named("stock")[0]
        before = (view.revision, view.hash())
        for what, kind, expected in [
            ("a card face down", ada.reorder(pile[:1], other), "REFUSED FACE_DOWN"),
            ("a copy", ada.reorder(top, other, suggested=COPY), "REFUSED OPERATION_NOT_SUPPORTED"),
            ("an unknown collection", ada.reorder(top, 99), "REFUSED UNKNOWN_COLLECTION"),
            ("no collection", ada.reorder(top, 0), "REFUSED UNKNOWN_COLLECTION"),
            ("an unknown item", ada.reorder([1 << 40], other), "REFUSED UNKNOWN_ITEM"),
            ("what nothing made", ada.reorder([1 << 52 | 1 << 12], other), "REFUSED DEPENDS_ON_REFUSED"),
            ("no items", ada.reorder([], other), "REFUSED EMPTY_SOURCES"),
            ("an item twice", ada.reorder(top * 2, other), "REFUSED DUPLICATE_SOURCE"),
            ("501 items", ada.reorder(top * 501, other), "REFUSED TOO_MANY_ITEMS"),
            ("a run the wrong way round", ada.reorder(runs[0][:-3:-1], other), "REFUSED NOT_A_RUN"),
            ("a card of the stock", ada.reorder(stock[-1:], other), "REFUSED NOT_REORDERABLE"),
            ("onto the stock", ada.reorder(top, view.named("stock")[1]), "REFUSED DESTINATION_CLOSED"),
            ("an anchor in another collection", ada.reorder(top, other, before=stock[0]), "REFUSED ANCHOR_GONE"),
            ("an unknown anchor", ada.reorder(top, other, before=1 << 40), "REFUSED UNKNOWN_ITEM"),
            ("an unknown action", ada.perform("shuffle"), "REFUSED UNKNOWN_ACTION"),
            ("an undo", {"undo": contract.Undo(seq=0)}, "REFUSED UNDO_TOO_LATE"),
            ("no kind at all", {}, "REFUSED OPERATION_NOT_SUPPORTED"),
            ("an action of 65 letters [L4]", ada.perform("a" * 65), "REFUSED UNKNOWN_ACTION"),
            ("a text of 16,385 bytes [L4]", {"update": contract.Update(item=top[0], attributes=[
                contract.Attribute(name="note", text="x" * 16385)])}, "REFUSED TEXT_TOO_LONG"),
            ("a name of 65 letters [L4]", {"update": contract.Update(item=top[0], attributes=[
                contract.Attribute(name="n" * 65, number=1)])}, "REFUSED TEXT_TOO_LONG"),
            ("17 representations [L4]", {"insert": contract.Insert(items=[contract.NewItem(
                representations=[contract.Representation()] * 17)])}, "REFUSED TABLE_SIZE"),
            ("to where it lies", ada.reorder(top, handle), "UNCHANGED"),
        ]:
            report.equal(ada.ask(**kind), expected, what)
        outcome = ada.answer(ada.submit(**ada.reorder(pile[:1], other)))
        report.equal(outcome.rule, "collections[0].lift.each[0]", "the rule that refused [A3]")
        report.check(outcome.detail and outcome.revision == view.revision, "a sentence, and the revision [A3]")
        report.equal(bo.ask(**bo.reorder(top, other)), "REFUSED PERMISSION_DENIED", "a spectator's move [G5]")
        report.check((view.revision, view.hash()) == before and ada.agrees(), "nothing has changed")

    with report.section("Answers again, and not now"):
        draw = ada.perform("draw")
        report.equal(ada.ask(seq=ada.seq, **draw), "REFUSED FACE_DOWN", "a number that was refused [A4]")
        again = ada.answer(ada.submit(seq=first, **draw))
        report.equal((ada.verdict(again), again.revision), ("DUPLICATE", base + 1), "a number that was accepted [A4]")
        ada.seq += 1
        late = [ada.submit(seq=ada.seq, base=view.revision + 1000, **draw)]
        late += [ada.submit(seq=ada.seq + 1, unanswered=1, **draw)]
        report.equal(ada.verdicts(*late), ["RETRY STALE_BASE"] * 2, "a base to come, and what follows [A5, A6]")
        report.equal(ada.ask(seq=late[0], epoch=99, **draw), "RETRY STALE_BASE", "another epoch [G2]")
        ada.submit(seq=late[0], **draw)
        ada.submit(seq=late[1], unanswered=1, **draw)
        ada.seq = late[1]
        report.equal(ada.verdicts(*late), ["accepted"] * 2, "sent again, in order [C6]")
        report.check(ada.agrees(), "the hash")

    with report.section("Snapshots and presence"):
        before = (ada.view.revision, ada.view.hash())
        ada.view.complete = False
        ada.connection.send(snapshot_request=contract.SnapshotRequest(why="a test"))
        while not ada.view.complete:
            ada.step()
        report.equal((ada.view.revision, ada.view.hash()), before, "a snapshot is what diffs had led to [S5]")
        report.equal(ada.view.last_seq, ada.seq, "it knows what was judged [S4]")
        over = contract.Destination(collection=other)
        drag = contract.Drag(phase=contract.Drag.BEGAN, items=top, over=over, formation="pile", x=500, y=-1)
        ada.connection.send(drag=drag)
        while not bo.drags:
            bo.step()
        drag.session = ada.welcome.session
        report.equal(bo.drags, [drag], "a drag, with its session [P1, P3]")
        ada.connection.send(drag=contract.Drag(phase=contract.Drag.MOVED, over=over))
        ada.connection.close()
        while len(bo.drags) < 3:
            bo.step()
        phases = [drag.phase for drag in bo.drags[1:]]
        report.equal(phases, [contract.Drag.MOVED, contract.Drag.CANCELLED], "it ends with its connection [P5]")
        report.equal([list(drag.items) for drag in bo.drags[1:]], [[], top], "the daemon remembers its items [P3]")
        while bo.seats is None or bo.seats[0].connected:
            bo.step()
        report.equal([(s.seat, s.person) for s in bo.seats], [(1, ada.welcome.person)], "the seat is kept [J14]")

    with report.section("Coming back"):
        old = ada.welcome
        ada.resume(name="Ada")
        report.check((ada.welcome.session, ada.welcome.seat) == (old.session, 1), "the same session and seat [J11]")
        report.check(old.ticket and ada.welcome.ticket == old.ticket, "the same ticket [J12]")
        report.equal(ada.welcome.last_seq, ada.seq, "the numbering continues [J11]")
        report.equal((ada.welcome.table_type, len(ada.welcome.options)), ("", 0), "nothing was missed: no snapshot [J15]")
        report.check(ada.agrees(), "the hash")
        report.equal(ada.ask(seq=late[1], **draw), "DUPLICATE", "an old answer [A4]")
        report.equal(ada.ask(**ada.reorder([1 << 40], 1)), "REFUSED UNKNOWN_ITEM", "the next number [O1]")
        displaced = ada.connection
        ada.join()
        report.check(ada.welcome.table_type, "a client without a state gets a snapshot [J15]")
        report.equal(ada.view.last_seq, ada.seq, "with the last operation that is in it [S4]")
        farewell = displaced.goodbye()
        report.equal((farewell.reason, farewell.resumable), ("DISPLACED", False), "a second connection takes over [J13]")
        report.check(ada.agrees(), "and plays on")
        ada.join(attempt=7)
        stale = Connection(contract, address)
        own = {"credential": ada.credential, "session_name": ada.session_name}
        stale.send(hello=contract.Hello(protocol=1, table=table, attempt=6, **own))
        farewell = stale.goodbye()
        report.equal((farewell.reason, farewell.resumable), ("STALE_HELLO", True), "a hello that arrives late [J13]")
        report.check(ada.agrees(), "displaces nobody")
        phone = Client(contract, address, table, credential=ada.credential, session_name=b"phone")
        same = (phone.welcome.session != ada.welcome.session, phone.welcome.person, phone.welcome.seat)
        report.equal(same, (True, ada.welcome.person, 1), "another device: another session of the person, with the seat [J11]")
        while ada.seats is None or len(ada.seats[0].sessions) < 2:
            ada.step()
        report.equal(list(ada.seats[0].sessions), [ada.welcome.session, phone.welcome.session], "both are connected [P6]")
        phone.connection.close()
        while ada.seats[0].sessions:
            ada.step()

    with report.section("A gap"):
        cleo = Client(contract, address, table, name="Cleo")
        report.equal(cleo.welcome.seat, 2, "another player")
        cleo.submit(seq=5, **cleo.perform("draw"))
        farewell = cleo.connection.goodbye()
        report.equal((farewell.reason, farewell.resumable), ("SEQ_GAP", False), "number 5 where 1 is due [O1]")
        report.check(ada.agrees(), "the others feel nothing")
        report.equal([seat.person for seat in ada.view.seats][1:], [cleo.welcome.person], "her seat was a diff [J7]")

    with report.section("Leaving"):
        ada.connection.send(goodbye=contract.Goodbye(reason="LEAVING"))
        farewell = ada.connection.goodbye()
        report.equal((farewell.reason, farewell.resumable), ("LEAVING", False), "the answer to a goodbye [H5]")
        while any(seat.person == ada.welcome.person for seat in bo.view.seats):
            bo.step()
        report.check(bo.agrees(), "the seat is free at once [H5]")


def play_list(contract, address, report):
    with report.section("New items, named before the daemon names them"):
        table = f"foreign-{secrets.token_hex(6)}"
        ada = Client(contract, address, table, table_type="list?items=4", name="Ada")
        view, handle = ada.view, 1
        a, b, c, d = view.collections[0]
        title = contract.Attribute(name="title", text="Grüße")
        data = contract.Representation(content_type="text/plain", data=b"\x00\xff")
        new = [contract.NewItem(attributes=[title], representations=[data]), contract.NewItem()]
        base = view.revision
        insert = contract.Insert(items=new, destination=contract.Destination(collection=handle, before=b))
        seqs = [ada.submit(base=base, insert=insert)]
        provisional = [1 << 52 | seqs[0] << 12 | k for k in range(2)]
        seqs.append(ada.submit(base=base, unanswered=1, **ada.reorder([provisional[1], a], handle)))
        seqs.append(ada.submit(base=base, unanswered=2, **ada.reorder([d], handle, before=provisional[0])))
        copies = ada.reorder([c, provisional[0]], handle, before=c, suggested=COPY)
        seqs.append(ada.submit(base=base, unanswered=3, **copies))
        report.equal(ada.verdicts(*seqs), ["accepted"] * 4, "an insert, and moves of what it makes [O10]")
        first, second = ada.answers[seqs[0]].minted
        copies = list(ada.answers[seqs[3]].minted)
        report.equal(view.collections[0], [d, first, b, *copies, c, second, a], "they stand where they were put [O9]")
        report.equal(view.items[copies[1]].attributes, {"title": "Grüße"}, "a copy has the same face")
        report.check(ada.agrees(), "the hash")

    with report.section("Two authors"):
        bo = Client(contract, address, table, name="Bo")
        base = view.revision
        report.equal(ada.ask(base=base, **ada.reorder([b], handle)), "accepted", "one moves the anchor away")
        seq = bo.submit(base=base + 1, **bo.reorder([d], handle, before=b))
        report.equal(bo.verdict(bo.answer(seq)), "accepted", "another, who has not seen it, drops before it")
        report.check(bo.answers[seq].rebased, "the gap has another neighbor by now")
        report.equal(bo.view.collections[0], [first, d, *copies, c, second, a, b], "and is where it was")
        report.check(bo.agrees() and ada.agrees(), "both hashes")
        for items, expected in [([first], "accepted"), ([first], "REFUSED UNKNOWN_ITEM")]:
            report.equal(ada.ask(remove=contract.Remove(items=items)), expected, f"removal: {expected}")
        pin = ada.ask(**ada.perform("pin", [d])), ada.ask(**ada.reorder([a], handle, before=d))
        report.equal(pin, ("accepted", "REFUSED POSITION_NOT_ALLOWED"), "nothing before a pinned head [G8]")
        report.check(ada.agrees(), "the hash")

    with report.section("Coming back to what was missed"):
        bo.agrees()
        bo.connection.close()
        made = bo.view.revision
        for item in (a, b, c):
            ada.ask(**ada.reorder([item], handle))
        bo.resume()
        report.equal((bo.welcome.table_type, len(bo.messages)), ("", ada.view.revision - made), "only the missed diffs [J15]")
        report.equal(bo.view.collections[0], ada.view.collections[0], "the same order")
        report.check(bo.agrees(), "the hash")
        lost = contract.Insert(items=[contract.NewItem()], destination=contract.Destination(collection=handle))
        seq = bo.submit(insert=lost)
        while not any(diff.author == bo.welcome.session and diff.seq == seq for diff in ada.messages):
            ada.step()
        bo.connection.close()
        bo.join()
        again = bo.answer(bo.submit(seq=seq, insert=lost))
        report.equal(bo.verdict(again), "DUPLICATE", "an answer that a snapshot replaced [S4, A4]")
        report.equal(list(again.minted), [bo.view.collections[0][-1]], "with the id of what was made [A4]")


def play_hand(contract, address, report):
    with report.section("Private collections"):
        table, chance = f"foreign-{secrets.token_hex(6)}", Chance(9)
        ada = Client(contract, address, table, table_type="hand", name="Ada", seed=9)
        bo = Client(contract, address, table, name="Bo")
        dealt, key = deal_from(chance), (chance.next(), chance.next())
        hand, own = ada.view.named("hand/1")
        report.equal(hand, [private_id(key, n) for n in range(7)], "the seed's ids of the own hand [B9]")
        report.equal(
            [ada.view.items[item].attributes for item in hand],
            [{"suit": suit, "rank": rank} for _, (suit, rank) in dealt[:7]], "the seed's cards [B9, B11]")
        report.equal(ada.view.named("discard")[0] + ada.view.named("stock")[0], [id for id, _ in dealt[14:]], "all others")
        report.equal((ada.view.named("hand/2")[0], ada.view.hidden_counts[own]), ([], 7), "another's hand is counted [S11]")
        while len(ada.view.seats) < 2:
            ada.step()
        report.equal(ada.ask(**ada.perform("draw")), "accepted", "a card is drawn")
        report.equal(ada.view.named("hand/1")[0][-1], private_id(key, 14), "the next id, behind those of both hands [D13]")
        while bo.view.revision < ada.view.revision:
            bo.step()
        report.equal(bo.view.hidden_counts[own - 1], 8, "the other sees the count [D13]")
        report.check(ada.agrees() and bo.agrees(), "both hashes [V9]")
        last = ada.view.named("hand/1")[0][-1]
        report.equal(ada.ask(**ada.reorder([last], own)), "accepted", "a move that changes nothing [G8]")
        report.equal((len(ada.messages[-1].changes) > 0, ada.agrees()), (True, True), "is a change to its owner [D13]")


def play_chapter(contract, address, report):
    """A client that predicts, beside one that moves things meanwhile [client.md, Checklist]."""
    table = f"foreign-{secrets.token_hex(6)}"
    ada = Player(contract, address, table, table_type="list?items=6", name="Ada")
    bo = Client(contract, address, table, name="Bo")
    a, b, c, d, e, f = bo.view.collections[0]

    def gap(before=0):
        return contract.Destination(collection=1, before=before)

    def insert(title, before=0):
        attributes = [contract.Attribute(name="title", text=title)]
        return {"insert": contract.Insert(items=[contract.NewItem(attributes=attributes)], destination=gap(before))}

    def move(items, before=0):
        return {"reorder": contract.Reorder(sources=items, destination=gap(before))}

    def settled(what):
        for seq in range(1, ada.next_seq):
            ada.answer(seq)
        bo.agrees()
        while ada.confirmed.revision < bo.view.revision:
            ada.step()
        report.equal(ada.visible.collections, bo.view.collections, what)

    with report.section("Predictions"):
        new = provisional(ada.next_seq, 0)
        seqs = [ada.submit(**insert("x", b)), ada.submit(**move([new], d)), ada.submit(**move([a], new))]
        report.equal(ada.visible.collections[0], [b, c, a, new, d, e, f], "three operations show at once [C2]")
        report.equal([op.message.unanswered for op in ada.pending], [0, 1, 2], "on top of each other [O3]")
        gap_made = ada.pending[2].message.reorder.destination
        report.equal((gap_made.before_by, gap_made.after, gap_made.HasField("after_by")), (seqs[1], c, False), "by name [O11]")
        report.equal([ada.answer(seq) for seq in seqs], ["accepted"] * 3, "accepted")
        x = ada.ids[new]
        report.equal(ada.visible.collections[0], [b, c, a, x, d, e, f], "as predicted, under the daemon's id [O10]")
        bo.agrees()
        report.equal(bo.ask(**move([d])), "accepted", "another moves the anchor away")
        seq = ada.submit(**move([f], d))
        report.equal(ada.visible.collections[0], [b, c, a, x, f, d, e], "shown on the state before that")
        report.equal(ada.answer(seq), "accepted", "and judged after it")
        settled("both see the same [I1]")
        first = ada.submit(**insert("p", b))
        while not any(diff.seq == first and diff.author == ada.session for diff in bo.messages):
            bo.step()
        report.equal(bo.ask(**insert("u", b)), "accepted", "another drops before the same anchor")
        ada.submit(**insert("q", b))
        settled("a run at a gap where another dropped something")
        titles = [bo.view.items[item].attributes.get("title", "") for item in bo.view.collections[0]]
        report.equal("".join(titles).replace("x", ""), "pqu", "is not divided [O11]")
        head, following = ada.visible.collections[0][:2]
        report.equal((ada.submit(**move([head], following)), ada.pending), (0, []), "what changes nothing is not sent")
        seq = ada.submit(**move([1 << 40], b))
        report.equal(ada.answer(seq), "REFUSED UNKNOWN_ITEM", "a refused operation")
        settled("leaves no trace [C2]")

    with report.section("A lost answer, and what was made without a connection"):
        lost = ada.submit(**insert("y", b))
        while not any(diff.seq == lost and diff.author == ada.session for diff in bo.messages):
            bo.step()
        ada.lose()
        made = ada.submit(**move([provisional(lost, 0)]))
        report.equal(bo.ask(**move([c], b)), "accepted", "another moves meanwhile")
        ada.sent = []
        ada.connect()
        report.equal([ada.answer(lost), ada.answer(made)], ["accepted"] * 2, "each is answered [J15]")
        report.equal(ada.sent, [made], "and only what was not judged is sent [J15, C5]")
        settled("both see the same")

    with report.section("Operations in the state of a snapshot"):
        lost = ada.submit(**insert("z", b))
        while not any(diff.seq == lost and diff.author == ada.session for diff in bo.messages):
            bo.step()
        ada.lose()
        ada.confirmed.revision = 0  # As one that asks for a snapshot [J15].
        ada.connect()
        report.check(ada.visible.revision > 0 and len(ada.pending) == 1 and ada.pending[0].in_state, "it waits [S4]")
        report.equal(ada.answer(lost), "DUPLICATE", "for its answer [A4]")
        settled("it is not shown twice")

    with report.section("Retry"):
        original, ada.confirmed.epoch = ada.confirmed.epoch, 99  # A state of no epoch of the table's [G2].
        seqs = [ada.submit(**insert("v", e)), ada.submit(**move([e], c))]
        ada.confirmed.epoch = original
        report.equal([ada.answer(seq) for seq in seqs], ["accepted"] * 2, "both are sent again, in order [A6, C6]")
        report.equal(ada.sent[-4:], seqs * 2, "each twice")
        settled("both see the same")

    with report.section("A copy that has diverged"):
        ada.confirmed.status = "wrong"
        ada.ping(want_hash=True)
        while ada.state == "live":
            ada.step()
        report.check(ada.is_wrong, "is detected by its hash [C1, V8]")
        seq = ada.submit(**move([a]))
        report.equal(ada.answer(seq), "accepted", "operations are sent meanwhile [C3]")
        while ada.state != "live":
            ada.step()
        report.equal((ada.is_wrong, ada.confirmed.status), (False, bo.view.status), "and a snapshot replaces it [C3]")
        settled("both see the same")

    with report.section("Presence"):
        bo.connection.send(drag=contract.Drag(phase=contract.Drag.BEGAN, items=[a]))
        while not ada.drags:
            ada.step()
        report.equal([list(drag.items) for drag in ada.drags.values()], [[a]], "another's drag is shown [P1]")
        bo.connection.send(drag=contract.Drag(phase=contract.Drag.CANCELLED))
        while ada.drags:
            ada.step()
        report.equal(len(ada.seats), 2, "and ends; both have seats [P5, P6]")
        bo.connection.send(presence=contract.Presence(value=b"x" * 257))
        for number in range(40):
            bo.connection.send(presence=contract.Presence(value=bytes([number])))
        while ada.values.get(bo.welcome.session) != bytes([39]):
            ada.step()
        report.check(True, "the last value of one's own arrives, whatever the rate [P10, P11]")
        late = Player(contract, address, table, name="Late")
        while bo.welcome.session not in late.values:
            late.step()
        report.equal(late.values, {bo.welcome.session: bytes([39])}, "one who joins receives it [P12]")
        late.connection.close()
        for text in ["hello", "x" * 1025]:
            bo.connection.send(chat=contract.Chat(kind="greeting", text=text))
        while len(bo.chats) < 2:
            bo.step()
        while not ada.chats:
            ada.step()
        report.equal([(c.session, c.kind, c.text) for c in ada.chats], [(bo.welcome.session, "greeting", "hello")], "a message [P13]")
        report.equal([c.refused for c in bo.chats], ["", "TEXT_TOO_LONG"], "its author has it, too, or its refusal [P13]")

    with report.section("A session that is lost"):
        ada.lose()
        pending = ada.submit(**move([b]))
        ada.credential = secrets.token_bytes(32)
        ada.connect_again()
        report.equal((ada.state, ada.answers[pending]), ("live", "UNKNOWN"), "its pending operations are unknown [C9]")
        report.equal((ada.pending, ada.next_seq), ([], 1), "a new one begins [J12]")
        report.equal(ada.answer(ada.submit(**move([b]))), "accepted", "and counts anew [O1]")


def play_positions(contract, address, report):
    """A client that predicts by positions, beside one whose operations it has not seen [client.md, Prediction]."""
    table = f"foreign-{secrets.token_hex(6)}"
    ada = Player(contract, address, table, table_type="list?items=6", name="Ada")
    bo = Client(contract, address, table, name="Bo")
    a, b, c, d, e, f = bo.view.collections[0]

    def insert(before):
        gap = contract.Destination(collection=1, before=before)
        return {"insert": contract.Insert(items=[contract.NewItem()], destination=gap)}

    def move(item, before=0):
        return {"reorder": contract.Reorder(sources=[item], destination=contract.Destination(collection=1, before=before))}

    def minted(*seqs):
        return [ada.ids[provisional(seq, 0)] for seq in seqs]

    def settled(expected, what):
        while ada.pending:
            ada.step()
        bo.agrees()
        while ada.confirmed.revision < bo.view.revision:
            ada.step()
        report.equal(ada.visible.collections[0], expected, what)
        report.equal((bo.view.collections[0], bo.agrees()), (expected, True), "both see the same")

    with report.section("Positions"):
        for kind in (move(c), {"remove": contract.Remove(items=[b])}, move(d)):
            report.equal(bo.ask(**kind), "accepted", "another takes out what lies between three gaps")
        x, y, z = minted(*[seq for seq in [ada.submit(**insert(item)) for item in (c, d, e)] if ada.answer(seq) == "accepted"])
        settled([a, x, y, z, e, f, c, d], "drops in several gaps keep their order")
        removal = bo.submit(remove=contract.Remove(items=[y]))
        report.equal([bo.verdict(bo.answer(removal)), bo.ask(undo=contract.Undo(seq=removal))], ["accepted"] * 2, "undone")
        settled([a, x, y, z, e, f, c, d], "what returns is where it was")
        (own,) = {p.session for item in (x, y, z) for p in [ada.visible.positions[1][ada.visible.index(item, 1)]]}
        report.equal(own, ada.session, "and whose it was")

    with report.section("What was not put"):
        report.equal(bo.ask(remove=contract.Remove(items=[f])), "accepted", "another removes an item")
        refused, beside = ada.submit(**move(f, z)), ada.submit(**insert(f))
        report.equal(ada.pending[1].message.insert.destination.before_by, refused, "a drop beside what is not answered")
        report.equal(ada.answer(refused), "REFUSED CONTENDED", "what was to put its neighbor is refused")
        shown, ada.sent = list(ada.visible.collections[0]), []
        report.equal((ada.answer(beside), ada.sent), ("accepted", [beside]), "it is sent again, with its neighbors of now")
        (u,) = minted(beside)
        report.equal([ada.named(item) for item in shown], [a, x, y, u, z, e, c, d], "it was shown where it would have been")
        settled([a, x, y, u, z, e, c, d], "and stays there")

    with report.section("Behind an undo"):
        moved = ada.submit(**move(e, z))
        report.equal(ada.answer(moved), "accepted", "a move")
        undo, behind = ada.submit(undo=contract.Undo(seq=moved)), ada.submit(**insert(e))
        report.equal((ada.sent[-1], len(ada.pending)), (undo, 2), "nothing is sent before the answer to its undo")
        report.equal([ada.answer(undo), ada.answer(behind)], ["accepted"] * 2, "and all that waits with it")
        report.equal(ada.sent[-2:], [undo, behind], "in order")
        (v,) = minted(behind)
        settled([a, x, y, u, v, z, e, c, d], "it is in the gap where it was shown")


def play_host(contract, address, report):
    table = f"foreign-{secrets.token_hex(6)}"
    ada = Client(contract, address, table, table_type="list?items=4", name="Ada")
    invite = {"invite": ada.welcome.invite}
    bo = Client(contract, address, table, name="Bo", **invite)
    first, second = ada.view.collections[0][:2]
    drag = contract.Drag

    with report.section("Claims"):
        ada.connection.send(drag=drag(phase=drag.BEGAN, items=[first]))
        while not bo.drags:
            bo.step()
        for items, what in [([first], "what another holds"), ([second, first], "all or nothing"), ([], "nothing"),
                            ([1 << 40], "an unknown item"), ([second, second], "an item twice")]:
            bo.drags = []
            bo.connection.send(drag=drag(phase=drag.BEGAN, items=items))
            while not bo.drags:
                bo.step()
            refused = drag(session=bo.welcome.session, phase=drag.BEGAN, items=items, refused=True)
            report.equal(bo.drags, [refused], f"{what} is refused [P7]")
        report.check(ada.agrees() and not ada.drags, "nobody else receives it [P7]")
        ada.connection.send(drag=drag(phase=drag.ENDED))
        bo.connection.send(drag=drag(phase=drag.BEGAN, items=[second]))
        while not ada.drags:
            ada.step()
        report.equal([list(d.items) for d in ada.drags], [[second]], "what is free is granted [P7]")

    with report.section("The host"):
        def host(action, collection=0):
            destination = contract.Destination(collection=collection)
            return {"perform": contract.Perform(action=action, destination=destination)}

        for action in ("host/freeze", "host/kick/1", f"host/give/1/{bo.welcome.session}", "host/invite/player"):
            report.equal(bo.ask(**host(action, 1)), "REFUSED PERMISSION_DENIED", f"{action} by another [O14]")
        for action, expected in [
            ("host/dance", "REFUSED UNKNOWN_ACTION"), ("host/kick/9", "REFUSED UNKNOWN_SEAT"),
            ("host/give/2/99", "REFUSED UNKNOWN_SESSION"), ("host/freeze", "REFUSED UNKNOWN_COLLECTION"),
            ("host/kick/1", "REFUSED PERMISSION_DENIED"),
        ]:
            report.equal(ada.ask(**host(action)), expected, f"{action} [O14]")
        verdicts = [ada.ask(**host("host/freeze", 1)), ada.ask(**ada.reorder([first], 1)), ada.ask(**host("host/thaw", 1))]
        report.equal(verdicts, ["accepted", "REFUSED CONTAINER_DISABLED", "accepted"], "frozen, and thawed [O14]")
        answer = ada.answer(ada.submit(**host("host/invite/player")))
        report.check(ada.verdict(answer) == "UNCHANGED" and 0 < len(answer.invite) <= 128, "an invite [O14]")
        again = ada.answer(ada.submit(seq=ada.seq, **host("host/invite/player")))
        report.equal(again.invite, answer.invite, "the same again [A4]")
        report.equal(ada.ask(**host("host/kick/2")), "accepted", "another is kicked")
        farewell = bo.connection.goodbye()
        report.equal((farewell.reason, farewell.resumable), ("KICKED", False), "and receives the reason [O14]")
        report.check(ada.agrees(), "the hash")

    with report.section("Invites"):
        hello = contract.Hello(protocol=1, table=table, invite="none of ours")
        if ada.welcome.invite:
            report.equal(knock(contract, address, hello=hello), ("INVITE_INVALID", False), "a wrong invite [J17]")
            hello.invite = invite["invite"]
            report.equal(knock(contract, address, hello=hello), ("INVITE_INVALID", False), "a void one [O14]")
        else:
            eve = Client(contract, address, table, name="Eve", invite="none of ours")
            report.equal(eve.welcome.seat, 2, "an invite is ignored where none is required [J17]")
        cleo = Client(contract, address, table, name="Cleo", role=contract.SPECTATOR, invite=answer.invite)
        report.check(cleo.welcome.session and not cleo.welcome.invite, "a player's invite admits spectators [J17]")


def knock(contract, address, content=None, **body):
    """Returns the goodbye to a new connection that sends this: the reason, and whether it is resumable."""
    connection = Connection(contract, address)
    connection.send_bytes(content) if content is not None else connection.send(**body)
    farewell = connection.goodbye()
    connection.close()
    return (farewell.reason, farewell.resumable) if farewell else None


def check_goodbyes(contract, address, report):
    table = f"foreign-{secrets.token_hex(6)}"

    def hello(**fields):
        return {"hello": contract.Hello(**{"protocol": 1, "table": table, "table_type": "grid", **fields})}

    with report.section("Goodbyes"):
        Client(contract, address, table, table_type="grid", name="Ada")
        for what, body, reason in [
            ("a ping first", {"ping": contract.Ping(nonce=1)}, "EXPECTED_HELLO"),
            ("a message without a body", {}, "EXPECTED_HELLO"),
            ("version 2", hello(protocol=2), "UNSUPPORTED_VERSION"),
            ("no version", hello(protocol=0), "UNSUPPORTED_VERSION"),
            ("no table", hello(table=""), "BAD_TABLE_ID"),
            ("a table with a slash", hello(table="a/b"), "BAD_TABLE_ID"),
            ("a table of 65 letters", hello(table="a" * 65), "BAD_TABLE_ID"),
            ("a name of 65 letters", hello(name="a" * 65), "BAD_NAME"),
            ("an unknown type", hello(table=table + "-2", table_type="chess"), "UNKNOWN_TYPE"),
            ("an unknown option", hello(table=table + "-2", table_type="klondike?deal=3"), "BAD_OPTION"),
            ("a value that is not allowed", hello(table=table + "-2", table_type="klondike?draw=2"), "BAD_OPTION"),
            ("a table that does not exist", hello(table=table + "-2", table_type=""), "UNKNOWN_TABLE"),
            ("another type than the table's", hello(table_type="klondike"), "TABLE_TYPE_MISMATCH"),
            ("a credential that is too short", hello(credential=bytes(31)), "BAD_CREDENTIAL"),
            ("a credential that is too long", hello(credential=bytes(33)), "BAD_CREDENTIAL"),
            ("a session's name that is too long", hello(session_name=bytes(17)), "BAD_CREDENTIAL"),
        ]:
            report.equal(knock(contract, address, **body), (reason, False), what)
        for what, content, reason in [
            ("a field of the wrong type", b"\x02\x08\x01", "MALFORMED"),
            ("a length beyond the message", b"\x03\x0a\x7f\x00", "MALFORMED"),
            ("a length of eleven bytes", b"\xff" * 11, "MALFORMED"),
            ("a frame of 2 MiB", varint(1 << 21) + b"\x0a", "FRAME_TOO_LARGE"),
        ]:
            report.equal(knock(contract, address, content), (reason, True), what)
        twice = Client(contract, address, table, name="Bo")
        twice.connection.send(**hello())
        report.equal(twice.connection.goodbye().reason, "MALFORMED", "a second hello [J1]")
        three = Client(contract, address, table + "-3", table_type="klondike?draw=1&redeals=-1", name="Ada")
        again = Client(contract, address, table + "-3", table_type="klondike", name="Bo")
        report.equal((three.welcome.seat, again.welcome.seat), (1, 2), "the same options written differently [J3]")
        for name in ("Cleo", "Dan"):
            Client(contract, address, table + "-3", name=name)
        full = {"hello": contract.Hello(protocol=1, table=table + "-3", name="Eve")}
        report.equal(knock(contract, address, **full), ("TABLE_FULL", False), "a fifth player [J6]")


def check_coming_and_going(contract, address, report):
    """Connections that open while others close: none may inherit anything from another."""
    with report.section("Coming and going"):
        name = f"foreign-{secrets.token_hex(6)}"
        greeting = {"table_type": "grid", "role": contract.SPECTATOR}
        for number in range(400):
            table = f"{name}-{number % 8}"
            pair = [Client(contract, address, table, **greeting) for _ in range(2)]
            for client in pair:
                client.connection.close()
            Client(contract, address, f"{name}-{number % 7}", **greeting).connection.close()
        report.check(True, "every hello was the first of its connection [J1]")


def play_keys(contract, address, report):
    with report.section("Keys of the app's own, each at one item only"):
        table = f"foreign-{secrets.token_hex(6)}"
        ada = Client(contract, address, table, table_type="kanban?columns=fixed", name="Ada")
        bo = Client(contract, address, table, name="Bo")

        def insert(*keys):
            items = [contract.NewItem(attributes=[contract.Attribute(name="id", text=key)]) for key in keys]
            return {"insert": contract.Insert(items=items, destination=contract.Destination(collection=1))}

        def update(item, key):
            return {"update": contract.Update(item=item, attributes=[contract.Attribute(name="id", text=key)])}

        report.equal(ada.ask(**insert("a", "b")), "accepted", "items with keys")
        report.equal(bo.ask(**insert("a")), "REFUSED DUPLICATE_KEY", "another with the same key [G11]")
        a, b = bo.with_key("a"), bo.with_key("b")
        report.equal((a, b), (ada.with_key("a"), ada.with_key("b")), "both find them by their keys")
        report.equal(bo.ask(**update(b, "a")), "REFUSED DUPLICATE_KEY", "an update to that key [G11]")
        base, mine = ada.view.revision, ada.submit(**insert("c"))
        theirs = bo.submit(base=base, **insert("c"))
        verdicts = [*ada.verdicts(mine), *bo.verdicts(theirs)]
        report.equal(sorted(verdicts), ["REFUSED DUPLICATE_KEY", "accepted"], "of two at the same time one is refused")
        report.equal(ada.ask(remove=contract.Remove(items=[a])), "accepted", "the item is removed")
        removal = ada.seq
        report.equal(bo.ask(**insert("a")), "accepted", "its key is free")
        report.equal(ada.ask(undo=contract.Undo(seq=removal)), "REFUSED DUPLICATE_KEY", "and it cannot return [G13]")
        report.check(ada.agrees() and bo.agrees(), "the hash")


def main():
    signal.alarm(SECONDS_MAX)
    contract = load_contract()
    report = Report()
    with report.section("Vectors"):
        check_numbers(report)
        check_messages(contract, report)
        check_readings(contract, report)
        check_hashes(contract, report)
        check_states(contract, report)
        check_clients(contract, report)
    for argument in sys.argv[1:]:
        host, _, port = argument.rpartition(":")
        address = (host.strip("[]"), int(port))
        for scenario in (
            play_klondike, play_list, play_keys, play_hand, play_chapter, play_positions, play_host, check_goodbyes,
            check_coming_and_going,
        ):
            try:
                scenario(contract, address, report)
            except Exception:
                report.check(False, scenario.__name__, traceback.format_exc())
    print(f"\n{report.passed} checks passed, {report.failed} failed")
    sys.exit(1 if report.failed else 0)


if __name__ == "__main__":
    main()
