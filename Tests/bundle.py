#!/usr/bin/python3
"""Makes one script and one style sheet of the page's sources, so that a table is open after a few requests.

  Tests/bundle.py            # writes Sources/BaizeServer/Web/made
  Tests/bundle.py --check    # fails if what is there was not made of the sources as they are, or a file is not in the program

The results are committed, and nothing runs before `swift build`. `index.html` in the sources still loads every module by itself; the
daemon serves `made/index.html` at `/`. Modules stay as they are written, in functions of their own, without comments,
indentation and the ends of most lines. What a module loads by `import()` is in a file of its own, which is loaded when that is called, and
has what is in the first file from there. What is named by its tag (`page.js?TAG`) may be kept by caches for ever.
"""

import gzip
import pathlib
import posixpath
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
WEB = ROOT / "Sources/BaizeServer/Web"
#: The list of the files that are in the program, and those that are for other programs alone.
LIST = ROOT / "Sources/CWeb/files.c"
NOT_SERVED = {"package.json"}
LISTED = re.compile(r'^#define FILE "../BaizeServer/Web/([^"]*)"\n#include "file.h"$', re.M)
IMPORT = re.compile(r"^import (?:\* as (\w+)|\{([^}]*)\}) from '(\.[^']*)';$", re.M)
REEXPORT = re.compile(r"^export \{([^}]*)\} from '(\.[^']*)';$", re.M)
EXPORT = re.compile(r"^export (?=(?:const|class|function|async function) (\w+))", re.M)
TOP_AWAIT = re.compile(r"^(?![ /]).*\bawait\b", re.M)
LATER = re.compile(r"import\('(\.[^']*)'\)")
ADDRESS = re.compile(r"new URL\('([^']*)', import\.meta\.url\)")
PRIVATE = re.compile(r"(?:^|(?<=\.)|(?<=get )|(?<=set )|(?<=async ))#(\w+)", re.M)
MARKS = re.compile(r" ?(=>|===|!==|>=|<=|&&|\|\||\?\?=?|[=,{}();:?\[\]]) ?")
#: The end of a line behind which a statement, a member or a list goes on or begins: each statement of ours ends with a mark.
JOINED = re.compile(r"(?<=[;{}(\[,])\n")
MASK = (1 << 64) - 1


def tag(data):
    """The name of contents, as the daemon gives it: a `Checksum` and the size."""
    state = 0x9E37_79B9_7F4A_7C15
    words = [len(data)] + [int.from_bytes(data[at:at + 8], "little") for at in range(0, len(data) & ~7, 8)]
    words.append(int.from_bytes(data[len(data) & ~7:], "little"))
    for word in words:
        mixed = ((state ^ word) * 0xD6E8_FEB8_6659_FD93) & MASK
        state = mixed ^ mixed >> 32
    return f"{state:x}-{len(data):x}"


def plain(text, path):
    """Returns a source without comments that begin a line, indentation and empty lines."""
    text = re.sub(r"^[ \t]*/\*.*?\*/[ \t]*\n", "", text, flags=re.M | re.S)
    lines = [re.sub(r"\s+// [^'\"`]*$", "", line).strip() for line in text.splitlines()]
    for line in lines:
        # In a text of several lines, indentation would say something.
        assert line.replace("\\`", "").count("`") % 2 == 0, f"{path}: a template of several lines: {line}"
        # What follows would be in the comment.
        assert line.startswith("//") or not re.search(r"(?<!:)//.*[;{}(\[,]$", line), f"{path}: a comment at the end: {line}"
    return "".join(f"{line}\n" for line in lines if line and not line.startswith("//"))


class Bundle:
    """The modules that a script loads, those that others need first."""

    def __init__(self, folder, addresses, first=None):
        """`first` is the bundle that is there already, and whose modules are not loaded again."""
        self.folder, self.addresses, self.first = folder, addresses, first
        self.names, self.open, self.text = {}, [], ""
        #: What is loaded later, and the names in the first bundle that this one uses.
        self.later, self.used = [], set()

    def add(self, path):
        """Adds a module and what it needs; returns the name of the object with its exports."""
        assert path not in self.open, f"a cycle of imports: {self.open} {path}"
        if self.first and path in self.first.names:
            self.used.add(self.first.names[path])
            return self.first.names[path]
        if path in self.names:
            return self.names[path]
        self.open.append(path)
        source = (self.folder / path).read_text()
        body, exports = plain(source, path), []
        # What waits outside of its functions does so within one that may.
        call = "await(async()=>" if TOP_AWAIT.search(source) else "(()=>"

        def module(address):
            return self.add(posixpath.normpath(posixpath.join(posixpath.dirname(path), address)))

        def imported(found):
            whole, names, address = found.groups()
            return f"const {whole or '{' + names.replace(' as ', ':') + '}'}={module(address)};"

        def passed_on(found):
            exports.extend(f"{name.strip()}:{module(found[2])}.{name.strip()}" for name in found[1].split(","))
            return ""

        def exported(found):
            exports.append(found[1])
            return ""

        def loaded_later(found):
            self.later.append(posixpath.normpath(posixpath.join(posixpath.dirname(path), found[1])))
            return f"import($later{len(self.later) - 1})"

        body = LATER.sub(loaded_later, body)
        body = EXPORT.sub(exported, REEXPORT.sub(passed_on, IMPORT.sub(imported, body)))
        left = re.search(r"^(?:import|export)\b.*|.*import\.meta.*", ADDRESS.sub("", body), re.M)
        assert not left, f"{path}: {left[0]}"
        body = ADDRESS.sub(lambda found: self.addresses(posixpath.normpath(posixpath.join(posixpath.dirname(path), found[1]))), body)
        self.open.pop()
        self.names[path] = name = f"{'$n' if self.first else '$m'}{len(self.names)}"
        self.text += f"const {name}={call}{{\n{body}return{{{','.join(exports)}}}}})();\n"
        return name

    def shorten(self):
        """Gives private names short ones, which nothing outside of their classes knows, and leaves out spaces around marks."""
        names = {}
        text = PRIVATE.sub(lambda found: "#" + names.setdefault(found[1], f"p{len(names):x}"), self.text)
        self.text = JOINED.sub("", "".join(map(tight, text.splitlines(keepends=True))))


def tight(line):
    """Returns a line without spaces around marks, outside of its texts; as it is, if it may have a pattern or a template."""
    if "/" in line or "`" in line or '"' in line:
        return line
    parts = re.split(r"('(?:[^'\\]|\\.)*')", line)
    return "".join(part if index % 2 else MARKS.sub(r"\1", part) for index, part in enumerate(parts))


def packed(data):
    """Packs by Zopfli, which takes 4 % less than zlib, and far longer."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        try:
            return subprocess.run(["zopfli", "-c", file.name], check=True, stdout=subprocess.PIPE).stdout
        except FileNotFoundError:
            sys.exit("Tests/bundle.py needs zopfli (Debian: zopfli) to write")


def make(folder=WEB, packed=packed):
    """Returns the results by their paths in `made`."""
    made = {}

    def address(path):
        source = folder / path
        if path.startswith("table/words/"):
            name = posixpath.basename(path)
            made[f"{name}.gz"] = packed(JOINED.sub("", plain(source.read_text(), path)).encode())
            return f"new URL('./{name}?{tag(made[f'{name}.gz'])}',import.meta.url)"
        return f"new URL('../{path}?{tag(source.read_bytes())}',import.meta.url)"

    page = (folder / "index.html").read_text()
    bundle = Bundle(folder, address)
    bundle.add("table/page.js")
    bundle.shorten()
    # Modules have other names in another page's bundle.
    key = tag(contents("", bundle.text.encode()))
    for number, path in enumerate(bundle.later):
        later = Bundle(folder, address, bundle)
        result = later.add(path)
        later.shorten()
        assert not later.later and "await(async()=>" not in later.text, path
        used = ",".join(sorted(later.used))
        name = posixpath.basename(path)
        # As a module is, it is made once.
        text = f"let made;\nexport default (key,{used})=>{{\nif(key!=='?{key}')throw new Error('another page');\nreturn made??=(()=>{{{later.text}return {result};\n}})();\n}};\n"
        made[f"{name}.gz"] = packed(text.encode())
        loaded = f"import(new URL('./{name}?{tag(made[f'{name}.gz'])}',import.meta.url)).then((one)=>one.default('?{key}',{used}))"
        bundle.text = bundle.text.replace(f"import($later{number})", loaded)
    made["page.js.gz"] = packed(bundle.text.encode())
    sheets = re.findall(r'<link rel="stylesheet" href="([^"]*)">', page)
    made["page.css.gz"] = packed(JOINED.sub("", "".join(plain((folder / sheet).read_text(), sheet) for sheet in sheets)).encode())
    sheet = f'<link rel="stylesheet" href="made/page.css?{tag(made["page.css.gz"])}">\n'
    page = re.sub(r'(?: *<link rel="stylesheet" [^>]*>\n)+', lambda _: sheet, page)
    page = page.replace("table/page.js", f"made/page.js?{tag(made['page.js.gz'])}")
    page = re.sub(r'href="(table/[^"]*)"', lambda found: f'href="{found[1]}?{tag((folder / found[1]).read_bytes())}"', page)
    made["index.html"] = re.sub(r"^ +", "", page, flags=re.M).encode()
    return made


def contents(name, data):
    """What is compared: another packer packs the same in other bytes, and names it otherwise."""
    if name.endswith(".gz"):
        data = gzip.decompress(data)
    return re.sub(rb"\?[0-9a-f]+-[0-9a-f]+", b"?", data)


def check():
    there = {path.name: path.read_bytes() for path in (WEB / "made").iterdir()}
    made = make(packed=gzip.compress)
    wrong = {name for name in there.keys() | made.keys()
             if name not in there or name not in made or contents(name, there[name]) != contents(name, made[name])}
    page = there["index.html"].decode() + gzip.decompress(there["page.js.gz"]).decode()
    for name in there:
        wanted = f"{name.removesuffix('.gz')}?{tag(there[name])}"
        if name.endswith(".gz") and wanted not in page:
            wrong.add(name)
    if wrong:
        sys.exit(f"Sources/BaizeServer/Web/made is not of these sources, run Tests/bundle.py: {', '.join(sorted(wrong))}")
    check_list(LISTED.findall(LIST.read_text()))


def check_list(listed):
    files = {str(path.relative_to(WEB)) for path in WEB.rglob("*") if path.is_file()} - NOT_SERVED
    complaints = [f"{name} is missing" for name in files - set(listed)] + [f"{name} is no file of Web" for name in set(listed) - files]
    complaints += [f"{name} is there twice" for name in set(listed) if listed.count(name) > 1]
    if complaints:
        sys.exit(f"Sources/CWeb/files.c: {', '.join(sorted(complaints))}")


def main():
    if "--check" in sys.argv[1:]:
        return check()
    folder = WEB / "made"
    folder.mkdir(exist_ok=True)
    made = make()
    for path in folder.iterdir():
        if path.name not in made:
            path.unlink()
    for name, data in made.items():
        (folder / name).write_bytes(data)
        print(f"{len(data):8} {name}")


if __name__ == "__main__":
    main()
