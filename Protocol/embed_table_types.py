#!/usr/bin/env python3
"""Writes each table type of Protocol/table-types into Sources/BaizeTableTypes/Bundled as a Swift raw string.

Run it after a change to a document; a test compares the two.
"""
import pathlib

root = pathlib.Path(__file__).resolve().parent.parent
for source in sorted((root / "Protocol/table-types").glob("*.json")):
    name = source.stem
    target = root / "Sources/BaizeTableTypes/Bundled" / (name.capitalize() + ".swift")
    lines = [("    " + line).rstrip() for line in source.read_text().split("\n")]
    target.write_text(
        "extension BundledTableTypes {\n"
        f"  /// `Protocol/table-types/{source.name}`, word for word.\n"
        f'  static let {name} = #"""\n' + "\n".join(lines) + '\n    """#\n}\n'
    )
