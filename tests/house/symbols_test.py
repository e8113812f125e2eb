"""The library never prints, never aborts, never exits: looks for those symbols with nm."""
import re
import subprocess
import sys

BANNED = {
    "printf", "fprintf", "vprintf", "puts", "fputs", "putchar", "perror", "__printf_chk", "__fprintf_chk",
    "abort", "exit", "_exit", "quick_exit", "__assert_fail", "_ZSt4cout", "_ZSt4cerr", "_ZSt4clog", "_ZSt9terminatev",
    "stdout", "stderr", "rand", "srand", "getenv",
}
nm, *archives = sys.argv[1:]
faults = []
for archive in archives:
    member = ""
    output = subprocess.run([nm, "--undefined-only", archive], capture_output=True, text=True, check=True).stdout
    for line in output.splitlines():
        if line.endswith(":"):
            member = line[:-1]
        elif match := re.match(r"\s+U (\S+)", line):
            name = match[1].split("@")[0]
            if name in BANNED and not member.endswith(".pb.cc.o"):
                faults.append(f"{archive}({member}): {name}")
print("\n".join(faults) or f"{len(archives)} libraries are quiet")
sys.exit(1 if faults or not archives else 0)
