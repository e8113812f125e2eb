"""Every C++ block of README.md stands, line by line, in an example that the tests build and run; every link leads somewhere."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
faults = []
examples = [path.read_text() for path in (root / "examples").glob("*.cpp")]
readme = (root / "README.md").read_text()
blocks = re.findall(r"```cpp\n(.*?)```", readme, re.S)
for block in blocks:
    if not any(block in text for text in examples):
        faults.append("README.md: this block is in no example:\n" + block)
for page in [root / "README.md", root / "CONTRIBUTING.md", root / "SECURITY.md", *(root / "docs").rglob("*.md")]:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        if not (page.parent / target).exists():
            faults.append(f"{page.relative_to(root)}: no such file: {target}")
if not blocks:
    faults.append("README.md: no C++ block")
print("\n".join(faults) or f"{len(blocks)} blocks and all links are true")
sys.exit(1 if faults else 0)
