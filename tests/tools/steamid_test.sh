#!/usr/bin/env bash
# steamid_test.sh COMMAND DATA: `corliss steamid` agrees with the vectors through the command line.
set -euo pipefail
python3 - "$1" "$2/proto/steamid.json" <<'PYTHON'
import json, subprocess, sys

command, path = sys.argv[1:]
faults = []


def run(*arguments):
    return subprocess.run([command, "steamid", *arguments], capture_output=True, text=True)


vectors = json.load(open(path))
for item in vectors["parse"]:
    done = run("--json", "--", item["input"])
    if done.returncode != (0 if item["accept"] else 1):
        faults.append(f"{item['input']!r}: exit {done.returncode}")
    elif item["accept"]:
        shown = json.loads(done.stdout)
        faults += [f"{item['input']!r}: {key}" for key in item.keys() - {"input", "accept"} if shown[key] != item[key]]
    elif done.stdout or len(done.stderr.splitlines()) != 1:
        faults.append(f"{item['input']!r}: refused with more than one line")
for option, items in (("--game", vectors["game_id"]), ("--global", vectors["global_id"])):
    for item in items:
        shown = json.loads(run(option, "--json", item["id"]).stdout)
        faults += [f"{option} {item['id']}: {key}" for key in shown.keys() & item.keys() if shown[key] != item[key]]
    faults += [f"{option}: took {text!r}" for text in ("", "x", "18446744073709551616") if run(option, "--", text).returncode != 1]

many = run("76561197969249708", "[g:1:4]", "cv-dgb", "[c:1:4]")
for text in ("STEAM_0:0:4491990", "[g:1:4]", "[U:1:123456]", "invite    cv-dgb", "its chat  110338190870577156",
             "its clan  103582791429521412", "instance  524288, clan", "valid     yes"):
    if text not in many.stdout:
        faults.append(f"the text of several ids lacks {text!r}")
if "none" not in run("--global", "18446744073709551615").stdout or "GameMod" not in run("--game", "10210309621176861092").stdout:
    faults.append("text of --global or --game")
for arguments, code in (((), 2), (("--game", "--global", "1"), 2), (("1", "bcd"), 1), (("--jsn", "1"), 2), (("check", path), 0)):
    if run(*arguments).returncode != code:
        faults.append(f"{arguments}: exit is not {code}")

print("\n".join(faults) or f"{len(vectors['parse'])} ids through the command line")
sys.exit(bool(faults))
PYTHON
