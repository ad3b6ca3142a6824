#!/usr/bin/python3
"""A client that submits random operations at a list, for the test that compares clients in several languages.

    random_player.py HOST:PORT TABLE OPERATIONS SEED FILE

Prints `done` once all its operations are answered. Then it waits for the file with a revision, and for that revision, compares its
copy's hash with the daemon's, and prints the revision, the hash and whether both are equal. Needs what foreign_client.py needs.
"""

import pathlib
import sys
import threading
import time

from foreign_client import Chance, Player, load_contract

PENDING_MAX = 16
ITEMS_MAX = 40


def operation(contract, player, chance):
    """A reorder, an insertion, a removal or an update, as the visible items allow."""
    items = player.visible.at(1)
    choice = chance.below(10)
    anchor = ([0] + items)[chance.below(len(items) + 1)]
    gap = contract.Destination(collection=1, before=anchor)
    number = contract.Attribute(name="number", number=chance.below(1000))
    if len(items) < 4 or (choice < 2 and len(items) < ITEMS_MAX):
        return {"insert": contract.Insert(items=[contract.NewItem(attributes=[number])], destination=gap)}
    chosen = items[chance.below(len(items))]
    if choice < 4:
        return {"remove": contract.Remove(items=[chosen])}
    if choice == 4:
        return {"update": contract.Update(item=chosen, attributes=[number])}
    others = [item for item in items if item != chosen]
    sources = [chosen] if choice < 8 else [chosen, others[chance.below(len(others))]]
    return {"reorder": contract.Reorder(sources=sources, destination=gap)}


def main():
    host, _, port = sys.argv[1].rpartition(":")
    operations, chance = int(sys.argv[3]), Chance(int(sys.argv[4]))
    contract = load_contract()
    player = Player(contract, (host, int(port)), sys.argv[2], name="Python")
    for _ in range(operations):
        player.submit(**operation(contract, player, chance))
        while len(player.pending) >= PENDING_MAX:
            player.step()
    while player.pending:
        player.step()
    print("done", flush=True)
    last = []

    def read_revision():
        file = pathlib.Path(sys.argv[5])
        while not file.exists():
            time.sleep(0.01)
        last.append(int(file.read_text()))
        # The answer wakes the loop below.
        player.ping()

    threading.Thread(target=read_revision, daemon=True).start()
    while not last or player.confirmed.revision < last[0]:
        try:
            player.step()
        except TimeoutError:
            player.ping()  # The others are still at work, and nothing comes of it: the connection stays open.
    pongs = []
    player.receive_pong = pongs.append
    player.ping(want_hash=True)
    while not any(pong.view_hash for pong in pongs):
        player.step()
    pong, own = next(pong for pong in pongs if pong.view_hash), player.confirmed.hash()
    print(player.confirmed.revision, own, (pong.revision, pong.view_hash) == (player.confirmed.revision, own), flush=True)


if __name__ == "__main__":
    main()
