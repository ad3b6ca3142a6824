#!/usr/bin/python3
"""Uses the web table in Chromium as people do, against a daemon of its own.

  Tests/browser.py [--daemon BAIZED] [--bot BAIZE-BOT] [--only WORD] [--files FOLDER] [--pictures FOLDER | --readme-pictures]

Needs chromium and chromedriver (Debian: chromium, chromium-driver), and nothing else. Each test makes a table of its own.
Exits with 1 if one fails. `--files Sources/BaizeServer/Web` serves the page's files from there instead of those in the program. `--pictures` writes pictures of tables at several widths, light and dark, `--readme-pictures` the
two of the README.
"""

import argparse
import pathlib
import sys
import tempfile
import time
import traceback

root = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(root / "Tests/Browser"), str(root / "Tests")]

import accessibility  # noqa: E402
import carrying  # noqa: E402
import columns  # noqa: E402
import finding  # noqa: E402
import guiding  # noqa: E402
import holding  # noqa: E402
import keeping  # noqa: E402
import large  # noqa: E402
import last_seen  # noqa: E402
import lasting  # noqa: E402
import light  # noqa: E402
import opening  # noqa: E402
import operating  # noqa: E402
import playing  # noqa: E402
import returning  # noqa: E402
import saving  # noqa: E402
import speaking  # noqa: E402
import starting  # noqa: E402
import tabs  # noqa: E402
import together  # noqa: E402
import touching  # noqa: E402
import wording  # noqa: E402
import writing  # noqa: E402
from daemon import Daemon  # noqa: E402
from pictures import take_pictures, take_readme_pictures  # noqa: E402
from webdriver import Driver  # noqa: E402
from world import World  # noqa: E402


def tests():
    for module in (carrying, columns, guiding, touching, writing, holding, opening, finding, saving, wording, lasting, light, keeping, last_seen, large, speaking, starting, returning, tabs, together, accessibility, playing, operating):
        for name, function in list(vars(module).items()):
            if name.startswith("test_"):
                yield name.removeprefix("test_").replace("_", " "), function


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    built = next((path for kind in ("release", "debug") if (path := root / f".build/{kind}/baized").exists()), "baized")
    parser.add_argument("--daemon", default=str(built))
    parser.add_argument("--bot")
    parser.add_argument("--only", default="")
    parser.add_argument("--files")
    parser.add_argument("--pictures")
    parser.add_argument("--readme-pictures", action="store_true")
    options = parser.parse_args()
    bot = options.bot or str(pathlib.Path(options.daemon).with_name("baize-bot"))

    Daemon.files = options.files
    failed = 0
    driver = Driver()
    with tempfile.TemporaryDirectory() as folder:
        daemon = Daemon(options.daemon, folder)
        world = World(driver, daemon, bot)
        try:
            if options.pictures:
                take_pictures(world, pathlib.Path(options.pictures))
            if options.readme_pictures:
                take_readme_pictures(world)
            for name, test in [] if options.pictures or options.readme_pictures else tests():
                if options.only not in name:
                    continue
                start = time.monotonic()
                try:
                    test(world)
                    world.check()
                    print(f"✔ {name} ({time.monotonic() - start:.1f} s)", flush=True)
                except Exception:
                    failed += 1
                    print(f"✘ {name}\n{traceback.format_exc()}", flush=True)
                    world.forget()
        finally:
            world.close()
            daemon.stop()
            driver.stop()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
