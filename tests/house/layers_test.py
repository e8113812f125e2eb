"""Layers depend one way: compares every #include <corliss/...> with the table of docs/architecture.md."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])

# layer -> (layers it may include, third-party headers allowed in its public headers)
TABLE = {
    "base": (set(), {"tl/expected.hpp"}),
    "crypto": ({"base"}, set()),
    "keyvalues": ({"base"}, set()),
    "proto": ({"base"}, {"google/protobuf/"}),
    "net": ({"base", "crypto", "proto"}, set()),
    "client": ({"base", "crypto", "proto", "net", "keyvalues"}, set()),
    "content": ({"base", "crypto", "proto", "keyvalues"}, set()),
    "io": ({"base", "crypto", "proto", "net", "client", "content", "keyvalues"}, {"asio"}),
    "sim": ({"base", "crypto", "proto", "net", "client", "content", "keyvalues", "io"}, {"asio"}),
}
# Opt-in public headers, each with the one third-party header that only its users need.
OPT_IN = {"include/corliss/proto/fmt.h": "fmt/format.h"}
STANDARD = re.compile(r"^[a-z0-9_]+$")
include = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')

faults = []
seen = 0
for layer, (below, third_party) in TABLE.items():
    for folder in (root / "include/corliss" / layer, root / "src" / layer):
        for path in sorted(folder.rglob("*")):
            if path.suffix not in (".h", ".cpp", ".inc"):
                continue
            seen += 1
            public = folder.parts[-3] == "include"
            for number, line in enumerate(path.read_text().splitlines(), 1):
                match = include.match(line)
                if not match:
                    continue
                where = f"{path.relative_to(root)}:{number}"
                quoted, name = match[1] == '"', match[2]
                if name.startswith("corliss/") or (quoted and (root / "src" / name).exists()):
                    other = name.removeprefix("corliss/").split("/")[0]
                    if other != layer and other not in below:
                        faults.append(f"{where}: {layer} may not include {other} ({name})")
                    if public and quoted:
                        faults.append(f"{where}: a public header includes a private one ({name})")
                elif OPT_IN.get(str(path.relative_to(root))) == name:
                    pass
                elif public and not STANDARD.match(name) and not any(name.startswith(t) for t in third_party):
                    faults.append(f"{where}: third-party header {name} in a public header of {layer}")
                elif not public and name in ("iostream", "cstdio", "print") :
                    faults.append(f"{where}: the library never prints ({name})")

for folder in (root / "include/corliss").iterdir():
    if folder.name not in TABLE:
        faults.append(f"include/corliss/{folder.name}: not a layer of the table")
for path in (root / "include").rglob("*.h"):
    if "#pragma once" not in path.read_text():
        faults.append(f"{path.relative_to(root)}: no #pragma once")
if seen < 10:
    faults.append("found hardly any sources: wrong folder?")
print("\n".join(faults) or f"{seen} files keep the table")
sys.exit(1 if faults else 0)
