#!/usr/bin/env python3
"""A small Baize client to copy: it joins a board, moves a card at once, and follows what the others do.

    python3 Tests/ForeignClient/example.py 127.0.0.1:7777 [SECONDS]

Needs protoc and Python's protobuf: apt-get install protobuf-compiler python3-protobuf.
It waits for each answer and never reconnects; foreign_client.py beside it is a complete client. The rules in brackets are
those of Protocol.
"""

import importlib
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

PROTOCOL = pathlib.Path(__file__).resolve().parents[2] / "Protocol"
with tempfile.TemporaryDirectory() as folder:  # An app generates this module once and keeps it.
    subprocess.run(["protoc", f"--proto_path={PROTOCOL}", f"--python_out={folder}", "baize.proto"], check=True)
    sys.path.insert(0, folder)
    baize = importlib.import_module("baize_pb2")


class Board:
    """A connection to one table, and a copy of it."""

    def __init__(self, address, **hello):
        host, _, port = address.rpartition(":")
        self.socket = socket.create_connection((host, int(port)))
        self.stream = self.socket.makefile("rb")
        self.names, self.collections, self.items = [], [], {}
        self.seq = self.revision = 0
        self.send(hello=baize.Hello(protocol=1, **hello))

    # Frames: a varint with the length, then the message [F1, F2].

    def send(self, **body):
        message = baize.ClientMessage(**body).SerializeToString()
        length, prefix = len(message), bytearray()
        while length >= 0x80:
            prefix.append(length & 0x7F | 0x80)
            length >>= 7
        self.socket.sendall(bytes(prefix) + bytes([length]) + message)

    def receive(self):
        """Receives one message, applies it to the copy, and returns its kind and its content."""
        length = shift = 0
        while True:
            byte = self.stream.read(1)
            if not byte:
                raise ConnectionError("the daemon has closed the connection")
            length |= (byte[0] & 0x7F) << shift
            shift += 7
            if byte[0] < 0x80:
                break
        message = baize.ServerMessage.FromString(self.stream.read(length))
        kind = message.WhichOneof("body")
        content = getattr(message, kind) if kind else None
        if kind == "welcome":
            self.session, self.epoch = content.session, content.epoch
        elif kind == "snapshot":
            self.load(content)
        elif kind == "diff":
            self.revision = content.revision
            for change in content.changes:
                self.apply(change)
        elif kind == "goodbye":
            raise ConnectionError(f"{content.reason}: {content.detail}")
        return kind, content

    # The copy [S1, S2, D4, D5].

    def load(self, part):
        if part.first:
            self.names = [collection.id for collection in part.collections]
            self.collections = [[] for _ in part.collections]
        for item in part.items:
            self.collections[item.collection - 1].append(item.id)
            self.items[item.id] = item
        self.revision = part.revision

    def apply(self, change):
        kind = change.WhichOneof("kind")
        content = getattr(change, kind)
        if kind in ("moved", "removed"):
            for collection in self.collections:
                collection[:] = [item for item in collection if item not in content.items]
        if kind in ("inserted", "faced"):
            self.items.update({item.id: item for item in content.items})
        if kind in ("moved", "inserted"):
            ids = [item.id for item in content.items] if kind == "inserted" else list(content.items)
            target, before = self.collections[content.destination.collection - 1], content.destination.before
            index = target.index(before) if before else len(target)
            target[index:index] = ids

    def __str__(self):
        lists = zip(self.names, self.collections)
        return "; ".join(f"{name}: " + " ".join(self.title(item) for item in items) for name, items in lists)

    def title(self, item):
        return ascii(",".join(a.text or str(a.number) for a in self.items[item].attributes))  # Others' text: escaped.

    # Operations [O1, O3, O11, A1, A2].

    def move(self, item, name):
        """Moves an item to the end of a collection. Returns the refusal's reason; "" if the move was accepted."""
        handle = self.names.index(name) + 1
        last = self.collections[handle - 1][-1:]
        gap = baize.Destination(collection=handle, **({"after": last[0]} if last else {"start": True}))
        self.seq += 1
        self.send(operation=baize.Operation(seq=self.seq, base_revision=self.revision, epoch=self.epoch,
                                            reorder=baize.Reorder(sources=[item], destination=gap)))
        while True:
            kind, content = self.receive()
            if kind == "diff" and (content.author, content.seq) == (self.session, self.seq):
                return ""
            if kind == "outcome" and content.seq == self.seq:
                return content.reason


def main():
    board = Board(sys.argv[1], table="python", table_type="kanban?columns=fixed&cards=6", name="Python")
    while True:
        kind, content = board.receive()
        if kind == "snapshot" and content.complete:
            break
    print(board)
    for card in board.collections[0][:4]:  # The fourth is refused: "doing" takes three.
        print(f"{board.title(card)} to doing: {board.move(card, 'doing') or 'accepted'}")
        print(board)
    end = time.monotonic() + float((sys.argv + ["0"])[2])
    while (left := end - time.monotonic()) > 0:
        board.socket.settimeout(left)
        try:
            if board.receive()[0] == "diff":
                print(board)
        except TimeoutError:
            break
    board.send(goodbye=baize.Goodbye(reason="LEAVING"))


if __name__ == "__main__":
    main()
