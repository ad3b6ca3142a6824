#!/usr/bin/env python3
"""A Baize client in another language, written from Protocol/README.md alone: it plays, follows, and checks the vectors.

    foreign_client.py HOST:PORT     # a running `baized --allow-seeds`: vectors, then the protocol
    foreign_client.py               # the vectors only

Needs protoc and Python's protobuf (Debian: protobuf-compiler, python3-protobuf). Ends with 0 if all holds, else with 1.
Rules in brackets are those of the specification.
"""

import contextlib
import importlib
import json
import pathlib
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import traceback

PROTOCOL = pathlib.Path(__file__).resolve().parents[2] / "Protocol"
SECONDS_MAX = 120
REPLY_SECONDS = 10
WORD = (1 << 64) - 1
PRIME = (1 << 61) - 1
COPY, MOVE = 1, 2


# ---- the contract


def load_contract():
    """The module that protoc generates from baize.proto."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["protoc", f"--proto_path={PROTOCOL}", f"--python_out={folder}", "baize.proto"], check=True)
        sys.path.insert(0, folder)
        try:
            return importlib.import_module("baize_pb2")
        finally:
            sys.path.remove(folder)


def varint(number):
    encoded = bytearray()
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(encoded + bytes([number]))


# ---- the view hash [V1-V6]


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


# ---- a view of a table


class Mismatch(Exception):
    """A message that does not fit the view: the client requests a snapshot [C3]."""


class Item:
    def __init__(self, message):
        self.id = message.id
        self.hidden = message.hidden
        self.pinned = message.pinned
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
        self.items = {}
        self.status = ""
        self.variables = {}
        self.seats = []

    def snapshot(self, part):
        if part.first:
            self.__init__()
            self.names = [c.id for c in part.collections]
            self.collections = [[] for _ in part.collections]
            self.enabled = [c.enabled for c in part.collections]
            self.hidden_counts = [c.count for c in part.collections]
            self.status = part.status
            self.variables = named(part.variables)
            self.seats = list(part.seats)
        self.epoch, self.revision, self.complete = part.epoch, part.revision, part.complete
        for item in part.items:
            self.at(item.collection).append(item.id)
            self.hidden_counts[item.collection - 1] -= 1
            self.items[item.id] = Item(item)
        if part.complete:
            self.last_seq = part.last_seq

    def diff(self, diff):
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

    def apply_removed(self, removed):
        for item in removed.items:
            self.take(item)
            del self.items[item]

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
            raise Mismatch(f"a count of collection {counted.collection}, whose items are told")
        self.hidden_counts[counted.collection - 1] = counted.count

    def apply_variables(self, variables):
        for variable in variables.set:
            self.variables.pop(variable.name, None)
        self.variables.update(named(variables.set))

    def apply_seats(self, seats):
        self.seats = list(seats.seats)

    def at(self, handle):
        if not 1 <= handle <= len(self.collections):
            raise Mismatch(f"collection {handle} is not there")
        return self.collections[handle - 1]

    def take(self, item):
        for collection in self.collections:
            if item in collection:
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
        for items, hidden_count, enabled in zip(self.collections, self.hidden_counts, self.enabled):
            order = 0
            for item in items:
                order = (order * 0x1415926535897932 + mix(item) % PRIME) % PRIME
            encoded += bytes([enabled]) + word(len(items) + hidden_count) + word(order)
        encoded += word(sum(item.hash() for item in self.items.values()))
        encoded += text(self.status) + attributes(self.variables) + word(len(self.seats))
        for seat in sorted(self.seats, key=lambda seat: seat.seat):
            encoded += word(seat.seat) + word(seat.session) + text(seat.name)
        return byte_hash(encoded)

    def named(self, name):
        """The items of the collection called `name`, and its handle."""
        index = self.names.index(name)
        return self.collections[index], index + 1


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


# ---- vectors [X1, X2]


def check_messages(contract, report):
    from google.protobuf import text_format

    vectors = json.loads((PROTOCOL / "vectors" / "messages.json").read_text())
    wrong = []
    for vector in vectors:
        kind = contract.ClientMessage if vector["direction"] == "client" else contract.ServerMessage
        encoded = bytes.fromhex(vector["message"])
        message = kind.FromString(encoded)
        if (
            message != text_format.Parse(vector["text"], kind())
            or message.SerializeToString(deterministic=True) != encoded
            or (varint(len(encoded)) + encoded).hex() != vector["delimited"]
        ):
            wrong.append(vector["name"])
    report.check(vectors and not wrong, f"messages.json: {len(vectors)} messages, byte for byte", ", ".join(wrong))


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
            found = (view.revision, view.collections, view.status, f"{view.hash():016x}")
            if found != (step["revision"], step["collections"], step["status"], step["hash"]):
                wrong.append(f"{case['id']}, {step['says']}")
    report.check(count and not wrong, f"states.json: {len(cases)} views, {count} states and hashes", "; ".join(wrong))


# ---- a connection [F1, F2]


class Ended(Exception):
    """The connection is at its end."""


class Connection:
    def __init__(self, contract, address):
        self.contract = contract
        self.socket = socket.create_connection(address, timeout=REPLY_SECONDS)
        self.received = b""

    def send(self, **body):
        message = self.contract.ClientMessage(**body).SerializeToString(deterministic=True)
        self.send_bytes(varint(len(message)) + message)

    def send_bytes(self, content):
        self.socket.sendall(content)

    def receive(self):
        """The next message's kind and body."""
        length = self.read_varint()
        message = self.contract.ServerMessage.FromString(self.read(length))
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
    """A participant without optimism: it sends one operation after the other and waits for the answers."""

    def __init__(self, contract, address, table, **hello):
        self.contract, self.address, self.table = contract, address, table
        self.seq = 0
        self.join(**hello)

    def join(self, **hello):
        """Sends a hello and loads the snapshot, or applies the missed diffs [J1, J9, J10, J15]."""
        self.connection = Connection(self.contract, self.address)
        self.messages = []
        self.seats, self.drags, self.answers, self.pong, self.farewell = None, [], {}, None, None
        self.connection.send(hello=self.contract.Hello(protocol=1, table=self.table, **hello))
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
            resume_token=self.welcome.resume_token, epoch=self.view.epoch, revision=self.view.revision, **hello)

    def step(self):
        """Handles one message."""
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

    def reorder(self, sources, handle, before=0, then=0, suggested=0):
        destination = self.contract.Destination(collection=handle, before=before, then=then)
        return {"reorder": self.contract.Reorder(sources=sources, destination=destination, suggested=suggested)}

    def perform(self, action, items=()):
        return {"perform": self.contract.Perform(action=action, items=items)}

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
    targets = [name for name in view.names if name.startswith(("foundation/", "pile/"))]
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
    """The ids and cards of a klondike table, in the order in which they are dealt."""
    chance = Chance(seed)
    deck = [(suit, rank) for suit in ("clubs", "diamonds", "hearts", "spades") for rank in range(1, 14)]
    chance.shuffle(deck)
    ids = list(range(1, 53))
    chance.shuffle(ids)
    return list(zip(ids, deck))


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
        report.equal(ada.verdicts(first, second), ["accepted"] * 2, "two pending draws [O3, R42]")
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
            ("what nothing made", ada.reorder([1 << 63 | 1 << 12], other), "REFUSED DEPENDS_ON_REFUSED"),
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
        report.equal(list(bo.drags[2].items), top, "the daemon remembers its items [P3]")
        while bo.seats is None or bo.seats[0].connected:
            bo.step()
        report.equal([(s.seat, s.session) for s in bo.seats], [(1, ada.welcome.session)], "the seat is kept [J14]")

    with report.section("Coming back"):
        old = ada.welcome
        ada.resume(name="Ada")
        report.check((ada.welcome.session, ada.welcome.seat) == (old.session, 1), "the same session and seat [J11]")
        report.check(ada.welcome.resume_token not in (b"", old.resume_token), "a new token [J9]")
        report.equal(ada.welcome.last_seq, ada.seq, "the numbering continues [J11]")
        report.equal((ada.welcome.table_type, len(ada.welcome.options)), ("", 0), "nothing was missed: no snapshot [J15]")
        report.check(ada.agrees(), "the hash")
        report.equal(ada.ask(seq=late[1], **draw), "DUPLICATE", "an old answer [A4]")
        report.equal(ada.ask(**ada.reorder([1 << 40], 1)), "REFUSED UNKNOWN_ITEM", "the next number [O1]")
        hello = contract.Hello(protocol=1, table=table, resume_token=old.resume_token)
        void = knock(contract, address, hello=hello)
        report.equal(void, ("TOKEN_INVALID", False), "the token before is void [J12]")
        displaced = ada.connection
        ada.join(resume_token=ada.welcome.resume_token)
        report.check(ada.welcome.table_type, "a client without a state gets a snapshot [J15]")
        report.equal(ada.view.last_seq, ada.seq, "with the last operation that is in it [S4]")
        farewell = displaced.goodbye()
        report.equal((farewell.reason, farewell.resumable), ("DISPLACED", False), "a second connection takes over [J13]")
        report.check(ada.agrees(), "and plays on")

    with report.section("A gap"):
        cleo = Client(contract, address, table, name="Cleo")
        report.equal(cleo.welcome.seat, 2, "another player")
        cleo.submit(seq=5, **cleo.perform("draw"))
        farewell = cleo.connection.goodbye()
        report.equal((farewell.reason, farewell.resumable), ("SEQ_GAP", False), "number 5 where 1 is due [O1]")
        report.check(ada.agrees(), "the others feel nothing")
        report.equal([seat.session for seat in ada.view.seats][1:], [cleo.welcome.session], "her seat was a diff [J7]")

    with report.section("Leaving"):
        ada.connection.send(goodbye=contract.Goodbye(reason="LEAVING"))
        farewell = ada.connection.goodbye()
        report.equal((farewell.reason, farewell.resumable), ("LEAVING", False), "the answer to a goodbye [H5]")
        while any(seat.session == ada.welcome.session for seat in bo.view.seats):
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
        provisional = [1 << 63 | seqs[0] << 12 | k for k in range(2)]
        seqs.append(ada.submit(base=base, unanswered=1, **ada.reorder([provisional[1], a], handle)))
        seqs.append(ada.submit(base=base, unanswered=2, **ada.reorder([d], handle, before=provisional[0], then=b)))
        copies = ada.reorder([c, provisional[0]], handle, before=c, then=c, suggested=COPY)
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
        report.check(bo.answers[seq].rebased, "the gap was carried forward [R2]")
        report.equal(bo.view.collections[0], [first, d, *copies, c, second, a, b], "to what followed it")
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
        bo.join(resume_token=bo.welcome.resume_token)
        again = bo.answer(bo.submit(seq=seq, insert=lost))
        report.equal(bo.verdict(again), "DUPLICATE", "an answer that a snapshot replaced [S4, A4]")
        report.equal(list(again.minted), [bo.view.collections[0][-1]], "with the id of what was made [A4]")


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
            ("a token of nobody's", hello(resume_token=bytes(24)), "TOKEN_INVALID"),
            ("a token of another length", hello(resume_token=b"x"), "TOKEN_INVALID"),
        ]:
            report.equal(knock(contract, address, **body), (reason, False), what)
        for what, content, reason in [
            ("a field of the wrong type", b"\x02\x08\x01", "MALFORMED"),
            ("a length beyond the message", b"\x03\x0a\x7f\x00", "MALFORMED"),
            ("a length of eleven bytes", b"\xff" * 11, "MALFORMED"),
            ("a frame of 2 MiB", varint(1 << 21) + b"\x0a", "FRAME_TOO_LARGE"),
        ]:
            report.equal(knock(contract, address, content), (reason, False), what)
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


def main():
    signal.alarm(SECONDS_MAX)
    contract = load_contract()
    report = Report()
    with report.section("Vectors"):
        check_messages(contract, report)
        check_states(contract, report)
    for argument in sys.argv[1:]:
        host, _, port = argument.rpartition(":")
        address = (host.strip("[]"), int(port))
        for scenario in (play_klondike, play_list, play_host, check_goodbyes, check_coming_and_going):
            try:
                scenario(contract, address, report)
            except Exception:
                report.check(False, scenario.__name__, traceback.format_exc())
    print(f"\n{report.passed} checks passed, {report.failed} failed")
    sys.exit(1 if report.failed else 0)


if __name__ == "__main__":
    main()
