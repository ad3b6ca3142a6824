#!/usr/bin/python3
"""Plays `baized demo` in terminals of several sizes, as a person does, and looks at what remains of the terminal.

    Tests/demo.py PATH-OF-BAIZED [--show]
"""

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

SIZES = [(80, 24), (132, 40), (200, 50)]
WAIT_SECONDS = 600
OPEN, CLOSE = "\x1b[?1049h", "\x1b[?1049l"


class Screen:
    """A terminal of a size, with the program in it; enough of an emulator for what the demo writes."""

    def __init__(self, arguments, columns, rows, environment):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ.update(TERM="xterm", **environment)
            os.execv(arguments[0], arguments)
        self.before = None
        self.raw = ""
        # A read may end within a character.
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.resize(columns, rows)

    def resize(self, columns, rows):
        self.columns, self.rows = columns, rows
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.terminal], [], [], left)[0]:
                break
            try:
                chunk = os.read(self.terminal, 65536)
            except OSError:
                break
            self.raw += self.decoder.decode(chunk)

    def lines(self):
        """The last whole picture, without styles."""
        pictures = [part for part in self.raw.split("\x1b[H") if "\x1b[J" in part]
        text = pictures[-1].split("\x1b[J")[0] if pictures else ""
        return [re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line) for line in text.replace("\r\r\n", "\r\n").split("\r\n")]

    def until(self, condition, what):
        end = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < end:
            self.read(0.1)
            if condition(self.lines()):
                return
        raise AssertionError(f"{what} at {self.columns} x {self.rows}:\n" + "\n".join(self.lines()))

    def press(self, keys):
        os.write(self.terminal, keys.encode())

    def is_raw(self):
        return not termios.tcgetattr(self.terminal)[3] & termios.ICANON

    def wait(self):
        """Returns the exit code; minus the signal, if one ended it."""
        end = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < end:
            self.read(0.1)
            process, status = os.waitpid(self.process, os.WNOHANG)
            if process:
                return os.waitstatus_to_exitcode(status)
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        raise AssertionError("the demo did not end")


def has(*texts):
    return lambda lines: all(any(text in line for line in lines) for text in texts)


def marked(sign):
    """Whether an item of the left copy has a mark, and the caption below says why."""
    def condition(lines):
        divider = next((index for index, line in enumerate(lines) if "North, 1200 ms" in line), 0)
        left = [line.split("│")[0] for line in lines[divider + 1:]]
        left = left[:next((index for index, line in enumerate(left) if line.startswith("──")), 0)]
        return any(re.search(f"{sign}[A-Z]", line) for line in left) and any(line.startswith(f"{sign} ") for line in left)
    return condition


def play(baized, columns, rows, show, environment={}):
    screen = Screen([baized, "demo", "--seed", "3"], columns, rows, environment)
    screen.until(has("Baize: one table", "North", "East", "todo", "doing", "done"), "the start")
    assert screen.is_raw()
    picture = screen.lines()
    assert len(picture) == rows and all(len(line) <= columns for line in picture), picture
    # Of each, first shown, then the answer.
    screen.until(has("shown, not answered yet"), "a pending move")
    screen.until(marked("•"), "the mark of a pending move")
    screen.until(has("sprung back, CONTENDED"), "a contended move")
    screen.until(marked("✗"), "the mark of a contended move")
    if show:
        print("\n".join(screen.lines()))
    screen.until(marked("↪"), "the mark of a rebased move")
    # A person.
    screen.press("\x1b[B")
    screen.until(has("North: you", "▸"), "a person's cursor")
    for _ in range(20):
        screen.press(" \t ")
        screen.read(0.3)
        if has("North: you", "shown, not answered yet")(screen.lines()):
            break
    screen.until(has("North: you"), "a person's move")
    screen.press("b")
    screen.until(lambda lines: not has("North: you")(lines), "the bot again")
    assert "…" not in "".join(line.split("│")[0] for line in screen.lines()[4:8]), screen.lines()
    return screen


def ended(screen, codes, what):
    code = screen.wait()
    assert code in codes, f"{what}: exit code {code}"
    assert screen.raw.count(OPEN) == screen.raw.count(CLOSE) > 0, f"{what}: the second screen stays"
    assert not screen.is_raw(), f"{what}: the terminal's input stays raw"
    print(f"ok    {what}")


def main():
    baized, show = os.path.abspath(sys.argv[1]), "--show" in sys.argv
    for columns, rows in SIZES:
        screen = play(baized, columns, rows, show)
        screen.press("q")
        ended(screen, [0], f"played at {columns} x {rows}, q")
    colourless = play(baized, 80, 24, False, {"NO_COLOR": "1"})
    assert not re.search(r"\x1b\[(\d;)*3\d", colourless.raw), "colours in spite of NO_COLOR"
    colourless.resize(120, 30)
    colourless.until(lambda lines: len(lines) == 30, "another size")
    colourless.press("\x03")
    ended(colourless, [0], "NO_COLOR, another size, Ctrl-C")
    for number, codes in [(signal.SIGTERM, [0]), (signal.SIGHUP, [0]), (signal.SIGQUIT, [0]), (signal.SIGSEGV, [-11])]:
        screen = Screen([baized, "demo"], 80, 24, {})
        screen.until(has("todo"), "the start")
        os.kill(screen.process, number)
        ended(screen, codes, signal.Signals(number).name)
    screen = Screen([baized, "demo"], 80, 24, {})
    screen.until(has("todo"), "the start")
    screen.press("\x1a")
    stopped = os.waitpid(screen.process, os.WUNTRACED)[1]
    screen.read(0.2)
    assert os.WIFSTOPPED(stopped) and not screen.is_raw() and screen.raw.count(CLOSE) == 1, "Ctrl-Z"
    os.kill(screen.process, signal.SIGCONT)
    end = time.monotonic() + WAIT_SECONDS
    while not screen.is_raw() and time.monotonic() < end:
        screen.read(0.1)
    assert screen.is_raw() and screen.raw.count(OPEN) == 2, "it goes on after Ctrl-Z"
    screen.press("q")
    ended(screen, [0], "Ctrl-Z, continued, q")


if __name__ == "__main__":
    main()
