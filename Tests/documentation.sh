#!/bin/bash
# Builds the documentation of library modules with DocC:
#
#     Tests/documentation.sh [MODULE…]     # without an argument: those of the products
#
# Fails if DocC warns about anything, such as a link to a symbol that does not exist, and if a public declaration of a
# module has no documentation comment; prints both. The archives are in .build/documentation.
set -euo pipefail
cd "$(dirname "$0")/.."

test $# -gt 0 || set -- BaizeClient BaizeServer BaizeTable
modules=("$@")
output=.build/documentation
docc="$(dirname "$(readlink -f "$(command -v swift)")")/docc"
graphs="$(swift package --enable-all-traits dump-symbol-graph --skip-synthesized-members --minimum-access-level public |
  sed -n 's/^Files written to //p')"
test -d "$graphs"
rm -rf "$output"

failed=0
for module in "${modules[@]}"; do
  mkdir -p "$output/$module.graphs"
  # A module's own symbols, and its extensions of other modules.
  cp "$graphs/$module.symbols.json" "$graphs/$module@"*.symbols.json "$output/$module.graphs" 2>/dev/null || true
  catalog="Sources/$module/$module.docc"
  test -d "$catalog" || catalog=
  "$docc" convert ${catalog:+"$catalog"} --additional-symbol-graph-dir "$output/$module.graphs" \
    --fallback-display-name "$module" --fallback-bundle-identifier "baize.$module" \
    --output-dir "$output/$module.doccarchive" --warnings-as-errors --ide-console-output || failed=1
  python3 - "$module" "$output/$module.graphs" <<'PYTHON' || failed=1
import json, pathlib, sys

module, graphs = sys.argv[1:]
count, missing = 0, []
for path in sorted(pathlib.Path(graphs).iterdir()):
    graph = json.loads(path.read_text())
    # A member without a comment of its own inherits that of the protocol requirement it fulfils.
    inherited = {edge["source"] for edge in graph["relationships"] if "sourceOrigin" in edge}
    for symbol in graph["symbols"]:
        count += 1
        if "docComment" not in symbol and symbol["identifier"]["precise"] not in inherited:
            location = symbol.get("location", {})
            file = location.get("uri", "").split("/Sources/")[-1]
            missing.append(f"{module}: Sources/{file}:{location.get('position', {}).get('line', -1) + 1}: "
                           + ".".join(symbol["pathComponents"]))
print("\n".join(sorted(missing) + [f"{module}: {len(missing)} of {count} public declarations have no documentation"]))
sys.exit(bool(missing))
PYTHON
done
exit $failed
