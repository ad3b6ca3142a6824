#!/usr/bin/env python3
"""Writes messages.json: messages of baize.proto in their JSON mapping and their bytes, as Google's encoder makes them.

Baize's own codec is written by hand; these vectors hold it, and any other implementation, to the contract. Needs
protoc and Python's protobuf (Debian: protobuf-compiler, python3-protobuf). The same input gives the same file:

    /usr/bin/python3 Protocol/vectors/generate_messages.py            # writes messages.json
    /usr/bin/python3 Protocol/vectors/generate_messages.py --check    # fails if it would change
"""

import importlib
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent

# (name, description, message in the text format of Protocol Buffers)
CLIENT = [
    ("empty", "no body at all: an unknown message, ignored", ""),
    ("hello.empty", "a body with no field", "hello {}"),
    ("hello.join", "joins a table that exists", 'hello { protocol: 1 table: "t" }'),
    (
        "hello.full",
        "every field",
        r"""hello { protocol: 1 table: "friday.night_7-b" table_type: "klondike?draw=3" name: "Zo\303\253 \342\231\245"
        role: SPECTATOR invite: "open sesame" credential: "\144\145\146\147\150\151\152\153\154\155\156\157\160\161\162\163\164\165\166\167\170\171\172\173\174\175\176\177\200\201\202\203" session_name: "\000\001\002\003\004\005\006\007\010\011\012\013\014\015\016\017" ticket: "\000\001\177\200\377" epoch: 3 revision: 70000
        seed: 18446744073709551615 attempt: 1767225600001 signed_token: "e30.e30.AA" }""",
    ),
    ("operation.empty", "no kind: refused as not supported", "operation {}"),
    ("operation.no-kind", "as an operation of a kind yet to come looks", "operation { seq: 9 base_revision: 8 epoch: 1 }"),
    (
        "operation.reorder.one",
        "the common operation: one item, between two others",
        "operation { seq: 12 base_revision: 345 epoch: 2 unanswered: 1"
        " reorder { sources: 17 destination { collection: 3 before: 29 after: 31 } } }",
    ),
    (
        "operation.reorder.start",
        "one item to the start of a collection that an item opens, before one that stands there as in the base: number 0 is given",
        "operation { seq: 12 base_revision: 345 epoch: 2 unanswered: 1"
        " reorder { sources: 17 destination { before: 29 start: true container: 31 before_by: 0 } } }",
    ),
    (
        "operation.reorder.placed",
        "between an item of the base and one that a pending operation put there",
        "operation { seq: 13 base_revision: 345 epoch: 2 unanswered: 2"
        " reorder { sources: 17 destination { collection: 3 before: 29 after: 31 before_by: 12 after_by: 0 } } }",
    ),
    (
        "operation.reorder.end",
        "one item to the end of a collection",
        "operation { seq: 1 epoch: 1 reorder { sources: 300 destination { collection: 1 } } }",
    ),
    (
        "operation.made-as",
        "made under seat 2, which its author has lost",
        "operation { seq: 3 base_revision: 7 epoch: 1 remove { items: 5 } made_as: 2 }",
    ),
    (
        "operation.base-lost",
        "written anew on a state in which others may have changed what it is about",
        "operation { seq: 3 base_revision: 7 epoch: 2 remove { items: 5 } base_lost: true }",
    ),
    (
        "operation.reorder.many",
        "several items, packed, one of them provisional; every field",
        "operation { seq: 4294967296 base_revision: 9007199254740991 epoch: 9007199254740991"
        " unanswered: 4294967295 reorder { sources: [5, 127, 128, 16384, 4503599627370495, 4503599627374592]"
        " destination { collection: 4294967295 before: 4503599627374593 after: 9007199254740991"
        " before_by: 4294967295 after_by: 9007199254740991 } suggested: 15 } }",
    ),
    (
        "operation.reorder.nothing",
        "no sources; the destination is there, but says nothing",
        "operation { seq: 2 reorder { destination {} } }",
    ),
    (
        "operation.insert",
        "new items with and without faces; numbers in zigzag; a text and a number that are zero and yet there",
        r"""operation { seq: 3 base_revision: 2 epoch: 1 insert {
        items { attributes { name: "done" number: 0 } attributes { name: "low" number: -9223372036854775808 }
                attributes { name: "note" text: "" } attributes { name: "rank" number: -1 }
                attributes { name: "title" text: "buy milk" }
                representations { content_type: "text/plain" data: "buy milk" }
                representations { content_type: "application/octet-stream" } }
        items {}
        items { attributes { name: "high" number: 9223372036854775807 } }
        destination { collection: 2 before: 8 after: 7 after_by: 2 } } }""",
    ),
    (
        "operation.insert.long",
        "embedded messages whose lengths take two bytes",
        'operation { seq: 3 insert { items { representations { content_type: "text/plain" data: "'
        + "0123456789" * 13
        + '" } attributes { name: "title" text: "'
        + "\\303\\244" * 64
        + '" } } destination { collection: 2 } } }',
    ),
    ("operation.remove", "two items", "operation { seq: 4 base_revision: 3 epoch: 1 remove { items: [1, 2] } }"),
    ("operation.remove.nothing", "no items", "operation { seq: 4 remove {} }"),
    (
        "operation.update",
        "sets a number, deletes an attribute, replaces the representations",
        """operation { seq: 5 base_revision: 4 epoch: 1 update { item: 77 attributes { name: "rank" number: 6 }
        attributes { name: "gone" } representations { content_type: "image/png" data: "\\211PNG" } } }""",
    ),
    ("operation.update.nothing", "no item, an attribute without a name", "operation { seq: 5 update { attributes {} } }"),
    ("operation.perform", "an action alone", 'operation { seq: 6 perform { action: "draw" } }'),
    (
        "operation.perform.full",
        "an action with items and a destination",
        'operation { seq: 6 base_revision: 5 epoch: 1 perform { action: "flip" items: [40, 41]'
        " destination { collection: 7 before: 42 } } }",
    ),
    (
        "operation.perform.nowhere",
        "a destination that is there and says nothing is not the same as none",
        "operation { seq: 6 perform { destination {} } }",
    ),
    ("operation.undo", "an own operation", "operation { seq: 7 base_revision: 6 epoch: 1 undo { seq: 5 } }"),
    ("operation.undo.nothing", "operation zero", "operation { seq: 7 undo {} }"),
    ("drag.empty", "a drag of nothing begins", "drag {}"),
    (
        "drag.full",
        "every field that a client sends; negative coordinates",
        'drag { phase: MOVED items: [17, 18] over { collection: 3 before: 29 } formation: "pile" x: -1 y: 1000 }',
    ),
    (
        "drag.limits",
        "the largest numbers, and the field that only the daemon sets",
        "drag { session: 9007199254740991 phase: CANCELLED over {} x: 2147483647 y: -2147483648 refused: true }",
    ),
    ("presence.empty", "no value of one's own any more", "presence {}"),
    ("presence.full", "a value of one's own", r'presence { value: "\000\377" }'),
    ("chat.empty", "a message without a text", "chat {}"),
    ("chat.full", "every field that a client sends", 'chat { kind: "emote" text: "👋 é" }'),
    ("signed-token.empty", "no token", "signed_token {}"),
    ("signed-token.full", "a token in place of the present one", 'signed_token { token: "e30.e30.AA" }'),
    ("ping.empty", "a sign of life", "ping {}"),
    ("ping.full", "asks for the view's hash", "ping { nonce: 7 want_hash: true }"),
    ("snapshot-request.empty", "no reason", "snapshot_request {}"),
    ("snapshot-request.full", "with a reason", 'snapshot_request { why: "hash differs at 70000" }'),
    ("goodbye.empty", "no reason", "goodbye {}"),
    ("goodbye.leaving", "the client's own farewell", 'goodbye { reason: "LEAVING" }'),
    (
        "goodbye.full",
        "every field",
        'goodbye { reason: "SHUTDOWN" detail: "back at noon" resumable: true retry_after_ms: 2500'
        ' redirect: "other.example:7400" }',
    ),
]

FACES = """items { id: 1 collection: 1 attributes { name: "rank" number: 13 } attributes { name: "suit" text: "hearts" }
           representations { content_type: "text/plain" data: "K\\342\\231\\245" } pinned: true }
           items { id: 2251799813685248 collection: 2 hidden: true }"""

SERVER = [
    ("empty", "no body at all: an unknown message, ignored", ""),
    ("welcome.empty", "a body with no field", "welcome {}"),
    (
        "welcome.full",
        "every field",
        r"""welcome { protocol: 1 session: 9007199254740991 seat: 2 person: 6 ticket: "\000\001\177\200\377" epoch: 3
        revision: 70000 last_seq: 41 table_type: "{\"name\": \"klondike\"}" max_frame_bytes: 1048576 history: 1024
        heartbeat_seconds: 15 server: "baized/0.1.0" max_pending: 32 invite: "open sesame"
        options { name: "draw" number: 3 } options { name: "variant" text: "vegas" } }""",
    ),
    ("snapshot.empty", "a body with no field", "snapshot {}"),
    (
        "snapshot.full",
        "every field; a face that is seen and one that is not",
        """snapshot { epoch: 3 revision: 70000 collections { handle: 1 id: "pile/0" count: 1 enabled: true }
        collections { handle: 2 id: "stock" count: 1 } collections {} """
        + FACES
        + """ items {} status: "open" complete: true first: true last_seq: 41 variables { name: "turn" number: 2 }
        seats { seat: 1 name: "Ada" connected: true person: 5 } seats { seat: 2 } }""",
    ),
    ("diff.empty", "a body with no field", "diff {}"),
    (
        "diff.moved",
        "the common diff: one item moved",
        "diff { revision: 346 author: 5 seq: 12"
        " changes { moved { items: 17 destination { collection: 3 before: 29 } } } operation: MOVE }",
    ),
    (
        "diff.moved.far",
        "the same with large ids and a vacant position in front of the anchor, rebased and redirected",
        "diff { revision: 70000 author: 9007199254740991 seq: 300 changes { moved { items: 2251799813685248"
        " destination { collection: 300 before: 4503599627370495 gone: 4503599627370494 gone_revision: 9007199254740991 } } }"
        " operation: MOVE rebased: true redirected: true }",
    ),
    (
        "diff.inserted",
        "a new item at the end, in front of the position that the same diff has vacated",
        "diff { revision: 346 author: 5 seq: 12 changes { removed { items: 17 } }"
        " changes { inserted { items { id: 18 collection: 3 } destination { collection: 3 gone: 17 gone_revision: 346 } } } }",
    ),
    (
        "diff.changes",
        "a change of every kind",
        """diff { revision: 8 author: 5 seq: 3 changes { moved { items: [1, 128, 16384] destination { collection: 1 } } }
        changes { inserted { """
        + FACES
        + """ destination { collection: 2 before: 3 } } } changes { removed { items: [4503599627370495, 1] } }
        changes { faced { """
        + FACES
        + """ } } changes { status { status: "won" } } changes { enabled { collection: 4 enabled: true } }
        changes { counted { collection: 5 count: 4294967295 } }
        changes { variables { set { name: "turn" number: -2 } set { name: "note" text: "" } set { name: "gone" } } }
        changes { seats { seats { seat: 1 name: "Ada" connected: true person: 5 } } } operation: FORBIDDEN }""",
    ),
    (
        "diff.changes.empty",
        "a change of every kind that says nothing",
        """diff { changes { moved { destination {} } } changes { inserted { destination {} } } changes { removed {} }
        changes { faced {} } changes { status {} } changes { enabled {} } changes { counted {} } changes { variables {} }
        changes { seats {} } }""",
    ),
    (
        "diff.copied",
        "the ids of new items, for their author; one was not accepted",
        """diff { revision: 9 author: 5 seq: 4 changes { inserted { items { id: 200 collection: 2 }
        destination { collection: 2 } } } operation: COPY minted: [200, 0, 4503599627370495] }""",
    ),
    (
        "diff.aliased",
        "items that stand for others, with their faces",
        """diff { revision: 10 author: 5 seq: 5 changes { inserted {
        items { id: 201 collection: 2 attributes { name: "title" text: "Gnossienne" } alias_of: 17 }
        items { id: 202 collection: 2 alias_of: 2251799813685247 }
        destination { collection: 2 } } } operation: ALIAS minted: [201, 202] }""",
    ),
    ("outcome.empty", "a body with no field", "outcome {}"),
    (
        "outcome.refused",
        "every field",
        """outcome { seq: 12 verdict: REFUSED reason: "RANK_MISMATCH" rule: "collections/2/accepts/0"
        detail: "A six goes on a seven." revision: 345 }""",
    ),
    ("outcome.unchanged", "allowed, without a difference", "outcome { seq: 12 verdict: UNCHANGED revision: 345 }"),
    (
        "outcome.invited",
        "an invite that the host has asked for",
        'outcome { seq: 13 verdict: UNCHANGED revision: 345 invite: "open sesame" }',
    ),
    ("outcome.duplicate", "judged before", "outcome { seq: 12 verdict: DUPLICATE revision: 300 }"),
    ("outcome.retry", "not judged", 'outcome { seq: 12 verdict: RETRY reason: "STALE_BASE" revision: 9000 }'),
    (
        "drag.full",
        "every field",
        """drag { session: 9007199254740991 phase: ENDED items: [17, 18] over { collection: 3 before: 29 after: 30 }
        formation: "stack" x: 500 y: -64 refused: true }""",
    ),
    ("presence.none", "another has no value any more", "presence { session: 5 }"),
    ("presence.full", "another's value", r'presence { session: 5 value: "\000\377" }'),
    ("chat.full", "a message to all", 'chat { session: 5 kind: "emote" text: "👋 é" }'),
    ("countdown.empty", "no time runs", "countdown {}"),
    ("countdown.full", "every field", "countdown { turn_ms: 30000 table_ms: 600000 turn_up: true table_up: true seat: 2 }"),
    ("token-time.empty", "the token has to be replaced now", "token_time {}"),
    ("token-time.full", "every field", "token_time { seconds: 86430 }"),
    ("watching.empty", "nobody watches any more", "watching {}"),
    ("watching.full", "every field", "watching { count: 1000 asking: [5, 9007199254740991] }"),
    ("chat.refused", "the refusal of one's own", 'chat { session: 5 refused: "RATE_LIMITED" }'),
    ("pong.empty", "a body with no field", "pong {}"),
    ("pong.full", "every field", "pong { nonce: 7 revision: 70000 view_hash: 0xfedcba9876543210 epoch: 3 }"),
    ("seats.empty", "nobody", "seats {}"),
    (
        "seats.full",
        "one connected, one absent",
        """seats { seats { seat: 1 name: "Ada" connected: true person: 5 } seats { seat: 2 name: "" person: 6 absent: true } }""",
    ),
    ("goodbye.empty", "no reason", "goodbye {}"),
    (
        "goodbye.full",
        "every field",
        'goodbye { reason: "SLOW" detail: "too much unread" resumable: true retry_after_ms: 4294967295'
        ' redirect: "other.example:7400" }',
    ),
]


def load_contract():
    """The module that protoc makes of baize.proto."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["protoc", f"--proto_path={HERE.parent}", f"--python_out={folder}", "baize.proto"], check=True
        )
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
    encoded.append(number)
    return bytes(encoded)


def vectors():
    from google.protobuf import json_format, text_format

    contract = load_contract()
    for direction, kind, messages in (
        ("client", contract.ClientMessage, CLIENT),
        ("server", contract.ServerMessage, SERVER),
    ):
        for name, description, text in messages:
            message = text_format.Parse(text, kind())
            encoded = message.SerializeToString(deterministic=True)
            yield {
                "name": f"{direction}.{name}",
                "direction": direction,
                "description": description,
                "json": json_format.MessageToDict(message),
                "message": encoded.hex(),
                "delimited": (varint(len(encoded)) + encoded).hex(),
            }


def main():
    entries = [
        ",\n".join(f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in vector.items())
        for vector in vectors()
    ]
    document = "[\n" + ",\n".join(f"  {{\n{entry}\n  }}" for entry in entries) + "\n]\n"
    file = HERE / "messages.json"
    if "--check" in sys.argv[1:]:
        if not file.exists() or file.read_text() != document:
            sys.exit(f"{file.name} is not what {pathlib.Path(__file__).name} makes")
        return
    file.write_text(document)


if __name__ == "__main__":
    main()
