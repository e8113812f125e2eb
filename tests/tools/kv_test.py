import json
import os
import pty
import subprocess

from command import CORLISS, DATA, Run, main

VECTORS = json.loads((DATA / "keyvalues/keyvalues.json").read_text())
BY_NAME = {f"{kind} {v['name']}": v for kind in ("text", "binary", "files") for v in VECTORS[kind]}


def data_of(vector):
    return bytes.fromhex(vector["input_hex"]) if "input_hex" in vector else vector["input"].encode()


def test_every_vector_through_the_command(_):
    for kind in ("text", "binary"):
        for vector in VECTORS[kind]:
            escapes = [] if vector.get("escapes", True) else ["--no-escapes"]
            run = Run("kv", "-", "--json", "--from", kind, *escapes, stdin=data_of(vector))
            if vector["expect"] == "ok":
                assert run.json() == vector["tree"], vector["name"]
            elif vector["expect"] == "reject":
                run.fails(1, "standard input: ")
    for vector in VECTORS["files"]:
        run = Run("kv", "-", "--to", "json", stdin=data_of(vector))
        if vector["expect"] == "reject":
            assert run.code == 1, vector["name"]
        elif "tree" in vector:
            assert run.json() == vector["tree"]
        else:
            value = run.json()
            for key in ("apps", "packages", "universe"):
                assert value.get(key) == vector.get(key), vector["name"]


def test_writer_vectors(_):
    for vector in VECTORS["write"]:
        run = Run("kv", "-", "--to", vector["format"], stdin=json.dumps(vector["tree"]).encode())
        expected = bytes.fromhex(vector["output_hex"]) if "output_hex" in vector else vector["output"].encode()
        assert run.ok() == expected, vector["name"]


def test_recognises_by_content(_):
    for name in ("files shortcuts", "files appinfo_29", "files packageinfo_27", "files vbkv", "binary string", "text basic"):
        vector = BY_NAME.get(name) or BY_NAME["text nested"]
        Run("kv", "-", stdin=data_of(vector)).ok()
    package = bytes.fromhex("0100000000370002700005000000" + "0808")
    assert Run("kv", "-", "--get", "p", stdin=package).ok() == b"5\n"


def test_json_goes_back_to_the_same_bytes(_):
    for name in ("files shortcuts", "binary int32", "binary float32", "binary value_with_high_bytes"):
        data = data_of(BY_NAME[name])
        value = Run("kv", "-", "--json", stdin=data).ok()
        assert Run("kv", "-", "--to", "binary", stdin=value).ok() == data, name


def test_get(folder):
    (folder / "appinfo.vdf").write_bytes(data_of(BY_NAME["files appinfo_29"]))
    assert Run("kv", folder / "appinfo.vdf", "--get", "480/common/name").ok() == b"Spacewar\n"
    assert Run("kv", folder / "appinfo.vdf", "--get", "480/APPINFO/Common/NAME").ok() == b"Spacewar\n"
    assert Run("kv", folder / "appinfo.vdf", "--get", "480/common", "--json").json()["name"] == "common"
    assert Run("kv", folder / "appinfo.vdf", "--get", "480", "--to", "text").ok().startswith(b'"appinfo"\n{\n\t"appid"\t\t"480"')
    assert Run("kv", folder / "appinfo.vdf", "--get", "7", "--to", "binary").ok().endswith(b"\x08\x08")
    Run("kv", folder / "appinfo.vdf", "--get", "481").fails(1, "nothing at 481")
    Run("kv", folder / "appinfo.vdf", "--get", "480/common/none").fails(1, "nothing at")
    Run("kv", folder / "appinfo.vdf", "--get", "common/name").fails(2, "480/common/name")
    Run("kv", folder / "appinfo.vdf", "--to", "binary").fails(2, "--get ID")
    assert b"// app 480, change 24483107" in Run("kv", folder / "appinfo.vdf").ok()
    text = b"r { a 1 b { c 2 } }"
    assert Run("kv", "-", "--get", "b/c", stdin=text).ok() == b"2\n"
    assert Run("kv", "-", "--get", "R/b/c", stdin=text).ok() == b"2\n"
    assert Run("kv", "-", "--get", "r", stdin=text).ok() == Run("kv", "-", stdin=text).ok()


def test_conditions(_):
    text = b'r { a 1 [$LINUX] b 2 [!$LINUX] c [$X || $LINUX] { d 3 } }'
    assert b'"a"\t\t"1" [$LINUX]\n' in Run("kv", "-", stdin=text).ok()
    assert Run("kv", "-", "--conditions", "ignore", stdin=text).ok().count(b"[") == 0
    kept = Run("kv", "-", "--json", "--conditions", "keep", stdin=text)
    assert kept.json()["children"][2]["condition"] == "$X || $LINUX"
    assert Run("kv", "-", "--to", "text", stdin=kept.out).ok() == Run("kv", "-", stdin=text).ok()
    names = [c["name"] for c in Run("kv", "-", "--json", "--define", "linux", stdin=text).json()["children"]]
    assert names == ["a", "c"]


def test_errors_say_where(folder):
    (folder / "bad.vdf").write_bytes(b"r {\n a {\n  b 1\n")
    Run("kv", folder / "bad.vdf").fails(1, "bad.vdf: line 4, column 1 (byte 15)", "the block opened at line 2, column 4")
    Run("kv", "-", stdin=b"\x00r").fails(1, "standard input: byte 1")
    Run("kv", "-", stdin=b'{"a": 1}').fails(1, "standard input")
    Run("kv", "-", stdin=b"{ a 1 }").fails(1, "JSON")
    Run("kv", folder / "none.vdf").fails(5, "none.vdf")
    Run("kv").fails(2, "FILE")
    Run("kv", "-", "--to", "xml").fails(2)
    Run("kv", "-", "--to", "text", stdin=b"\x01k\x00v\x00\x08").fails(5, "root")


def test_check(folder):
    report = Run("kv", "check", "--json", DATA / "keyvalues/keyvalues.json").json()
    assert report["cases"] >= 119 and report["failures"] == [] and report["skipped"] == []
    damaged = json.loads((DATA / "keyvalues/keyvalues.json").read_text())
    damaged["text"][0]["tree"]["name"] = "other"
    damaged["binary"][0]["expect"] = "reject"
    (folder / "v.json").write_text(json.dumps(damaged))
    run = Run("kv", "check", folder / "v.json")
    assert run.code == 1 and run.out.count(b"FAIL ") == 2, run.out


def test_colour_on_a_terminal(_):
    primary, secondary = pty.openpty()
    env = {**os.environ, "TERM": "xterm"}
    env.pop("NO_COLOR", None)
    subprocess.run([CORLISS, "kv", "-"], input=b'r { "a\x1b" 1 }', stdout=secondary, env=env, check=True, timeout=60)
    shown = os.read(primary, 4096)
    assert b"\x1b[36m" in shown and b"a\\x1b" in shown


main(globals())
