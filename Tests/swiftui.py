#!/usr/bin/env python3
"""Type-checks the SwiftUI bridge and a sample app without SwiftUI.

    Tests/swiftui.py        # builds Tests/SwiftUIDeclarations for macOS, iOS and visionOS in turn

That package has a module named SwiftUI with the declarations that Apple publishes; what a platform lacks is not declared
for it. The script fails if anything does not compile or warns, if a declaration of the bridge was not compiled (it compares
the source with the symbol graphs that the compiler writes), if one has no documentation, and if one is not marked with the
systems that it needs. Behaviour is not checked: nothing is run.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "Tests/SwiftUIDeclarations"
BRIDGE = ROOT / "Sources/BaizeSwiftUI"
PLATFORMS = ["macOS", "iOS", "visionOS"]
GUARD = ("#if BAIZE_SWIFTUI_DECLARATIONS || (canImport(SwiftUI) && compiler(>=6.4) "
         "&& (os(macOS) || os(iOS) || os(visionOS)))")
MACOS = "#if os(macOS) || BAIZE_SWIFTUI_DECLARATIONS_MACOS"
GUARDS = {
    GUARD: PLATFORMS,
    MACOS: ["macOS"],
    "#if BAIZE_SWIFTUI_DECLARATIONS_MACOS || (canImport(SwiftUI) && compiler(>=6.4) && os(macOS))": ["macOS"],
}
AVAILABLE = re.compile(r"@available\(macOS 27\.0, (iOS 27\.0, visionOS 27\.0, )?\*\)")
DECLARATION = re.compile(
    r"(?:@\w+(?:\([^)]*\))? )*(?:(?:public|package|internal|fileprivate|private|static|nonisolated|mutating|final) )*"
    r"(func|init|var|let|subscript|struct|class|enum|actor|protocol|typealias)\b")


def declarations(name, text):
    """Yields the line, the platforms and the text of each declaration of a file, and what is wrong with its form."""
    depth, branches, marked, documented = 0, [], False, False
    for number, line in enumerate(text.splitlines()):
        code = re.sub(r'"(\\.|[^"\\])*"', '""', line).split("//")[0].strip()
        place = f"{name}:{number + 1}"
        if line.strip().startswith("///"):
            documented = True
        if code.startswith("#if"):
            if code not in GUARDS:
                yield number, None, f"{place}: the condition is none of those that are checked: {code}"
            branches.append(GUARDS.get(code, []))
        elif code.startswith("#else"):
            branches[-1] = [platform for platform in PLATFORMS if platform not in branches[-1]]
        elif code.startswith("#endif"):
            branches.pop()
        elif not code:
            continue
        else:
            platforms = [p for p in PLATFORMS if all(p in branch for branch in branches)]
            if AVAILABLE.match(code):
                marked = True
            elif depth == 0 and code.startswith("extension"):
                if not marked and "UTType" not in code:
                    yield number, None, f"{place}: not marked with the systems that it needs: {code}"
                marked = False
            match = DECLARATION.match(code)
            if match and depth <= 1:
                if code.startswith("public") and not documented:
                    yield number, None, f"{place}: has no documentation: {code}"
                yield number, platforms, code
            if not code.startswith("@"):
                documented = False
            depth += code.count("{") - code.count("}")


def compiled(platform):
    """Returns the file and line of each symbol that the compiler has found in the bridge."""
    places = set()
    for path in (PACKAGE / ".build/symbols" / platform).glob("*.symbols.json"):
        for symbol in json.loads(path.read_text())["symbols"]:
            if "location" in symbol:
                location = symbol["location"]
                places.add((location["uri"].rsplit("/", 1)[-1], location["position"]["line"]))
    return places


def problems(sources, places):
    """Compares the declarations of the sources with what was compiled for each platform."""
    for name, text in sources:
        for number, platforms, code in declarations(name, text):
            if platforms is None:
                yield code
                continue
            if not platforms:
                yield f"{name}:{number + 1}: compiled for no platform: {code}"
            for platform in platforms:
                if (name, number) not in places[platform]:
                    yield f"{name}:{number + 1}: not compiled for {platform}: {code}"


def main():
    sources = [(path.name, path.read_text()) for path in sorted(BRIDGE.glob("*.swift"))]
    shutil.rmtree(PACKAGE / ".build/symbols", ignore_errors=True)
    places = {}
    for platform in PLATFORMS:
        (PACKAGE / ".build/symbols" / platform).mkdir(parents=True)
        # The bridge's symbol graph is written only when it is compiled.
        for stale in (PACKAGE / ".build").glob("*/debug/Bridge.build"):
            shutil.rmtree(stale)
        build = subprocess.run(
            ["swift", "build", "--package-path", str(PACKAGE), "--target", "Sample"],
            env=os.environ | {"BAIZE_SWIFTUI_DECLARATIONS": platform}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if build.returncode != 0 or "warning:" in build.stdout:
            print(build.stdout)
            sys.exit(f"The bridge or the sample does not compile for {platform}.")
        places[platform] = compiled(platform)

    found = list(problems(sources, places))
    # The comparison can fail: it finds what no branch compiles, and what is compiled for fewer platforms than it should.
    never = f"{GUARD}\n  #if os(Windows)\n    public func never() {{}}\n  #endif\n#endif\n"
    some = f"{GUARD}\n  /// Some.\n  public func some() {{}}\n#endif\n"
    assert len(list(problems([("Never.swift", never)], places))) == 3
    assert len(list(problems([("Some.swift", some)], places))) == len(PLATFORMS)

    print("\n".join(found))
    count = sum(1 for name, text in sources for _, platforms, _ in declarations(name, text) if platforms)
    for platform in PLATFORMS:
        print(f"{platform}: {len(places[platform])} symbols of the bridge compiled")
    print(f"{count} declarations of the bridge in the source, {len(found)} problems")
    sys.exit(bool(found) or count == 0)


main()
