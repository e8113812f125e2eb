"""The library never prints, never aborts, never exits: looks for those symbols with nm."""
import pathlib
import re
import subprocess
import sys

BANNED = {
    "printf", "fprintf", "vprintf", "puts", "fputs", "putchar", "perror", "__printf_chk", "__fprintf_chk",
    "abort", "exit", "_exit", "quick_exit", "__assert_fail", "_ZSt4cout", "_ZSt4cerr", "_ZSt4clog", "_ZSt9terminatev",
    "stdout", "stderr", "rand", "srand", "getenv",
}
# Layers that use asio, whose headers hold these; there the sources are searched instead.
ASIO_LAYERS = {"io", "sim"}
ASIO_SYMBOLS = {"__assert_fail", "_ZSt9terminatev"}
OWN_CALL = re.compile(r"\b(assert|terminate|abort)\s*\(")
# clang calls std::terminate by this function of its own where an exception would leave a noexcept function.
CLANG_NOEXCEPT = "__clang_call_terminate"

nm, *archives = sys.argv[1:]
faults = []
for layer in sorted(ASIO_LAYERS):
    for path in sorted((pathlib.Path(__file__).parents[2] / "src" / layer).rglob("*.cpp")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if OWN_CALL.search(line.split("//")[0]):
                faults.append(f"{path.name}:{number}: {line.strip()}")
for archive in archives:
    member = ""
    layer = re.sub(r".*libcorliss_(\w+)\.a", r"\1", archive)
    banned = BANNED - ASIO_SYMBOLS if layer in ASIO_LAYERS else BANNED
    output = subprocess.run([nm, archive], capture_output=True, text=True, check=True).stdout
    by_clang = CLANG_NOEXCEPT in output
    for line in output.splitlines():
        if line.endswith(":"):
            member = line[:-1]
        elif match := re.match(r"\s+U (\S+)", line):
            name = match[1].split("@")[0]
            if by_clang and name == "_ZSt9terminatev":
                continue
            if name in banned and not member.endswith(".pb.cc.o"):
                faults.append(f"{archive}({member}): {name}")
print("\n".join(faults) or f"{len(archives)} libraries are quiet")
sys.exit(1 if faults or not archives else 0)
