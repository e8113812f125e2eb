import hashlib
import json
import os
import struct
import zlib

from command import DATA, Run, main

CONTENT = DATA / "content"
MANIFESTS = json.loads((CONTENT / "manifests.json").read_text())
CHUNKS = json.loads((CONTENT / "chunks.json").read_text())


def test_every_manifest_through_the_command_line(_):
    for case in MANIFESTS["cases"]:
        path = CONTENT / case["file"]
        key = ["--depot-key", case["key"]] if "key" in case else []
        run = Run("manifest", "show", path, "--json", *key)
        if case["expect"] == "reject" or case.get("decrypt") == "fail":
            run.fails(1, path.name)
            continue
        if case["expect"] == "either" and run.code == 1:
            continue
        shown = run.json()
        for name, value in case.get("manifest", {}).items():
            assert shown[name] == value, (case["name"], name)
        if key:
            plain = Run("manifest", "show", path, "--json").json()
            assert plain["filenames_encrypted"], case["name"]


def test_every_chunk_through_the_command_line(folder):
    for case in CHUNKS["cases"]:
        path = CONTENT / case["file"]
        options = ["--depot-key", case["key"], "--size", case["cb_original"], "--checksum", case["checksum"], "--sha1", case["chunk_id"]]
        run = Run("chunk", "decode", path, *options)
        # The body's length is the manifest's to know; the command line has no option for it.
        if case["expect"] == "reject" and case.get("reason") != "length_mismatch":
            run.fails(1, path.name)
        elif case["expect"] == "ok":
            assert hashlib.sha1(run.ok()).hexdigest() == case["chunk_id"], case["name"]
    good = [case for case in CHUNKS["cases"] if case["expect"] == "ok"]
    files = [CONTENT / case["file"] for case in good]
    run = Run("chunk", "decode", *files, "--depot-key", good[0]["key"], "--out", folder, "--json")
    lines = [json.loads(line) for line in run.ok().splitlines()]
    for case, line in zip(good, lines, strict=True):
        assert (line["sha1"], line["checksum"], line["cb_original"]) == (case["chunk_id"], case["checksum"], case["cb_original"])
        assert hashlib.sha1((folder / line["sha1"]).read_bytes()).hexdigest() == case["chunk_id"]
    text = Run("chunk", "decode", *files, "--depot-key", good[0]["key"]).ok().decode()
    assert text.count("\n") == len(files)


def test_chunks_that_fail_are_named(folder):
    key = CHUNKS["cases"][0]["key"]
    Run("chunk", "decode", CONTENT / "chunks/bad_raw.bin", "--depot-key", key).fails(1, "no known container", "begins with")
    Run("chunk", "decode", folder / "none", "--depot-key", key).fails(5)
    Run("chunk", "decode", CONTENT / "chunks/pk_deflate.bin", "--depot-key", "12").fails(2)
    Run("chunk", "decode", CONTENT / "chunks/pk_deflate.bin", "--depot-key", key, "--sha1", "12").fails(2)
    # Named by a chunk id that it has not.
    body = (CONTENT / "chunks/pk_deflate.bin").read_bytes()
    (folder / ("chunk_" + 40 * "a" + ".bin")).write_bytes(body)
    Run("chunk", "decode", folder / ("chunk_" + 40 * "a" + ".bin"), "--depot-key", key).fails(1, "SHA-1")
    run = Run("chunk", "decode", CONTENT / "chunks/pk_deflate.bin", CONTENT / "chunks/bad_raw.bin", "--depot-key", key)
    assert run.code == 1 and run.out.count(b"\n") == 1 and b"bad_raw.bin" in run.err
    Run("chunk", "decode", "a", "b", "--depot-key", key, "--checksum", "1").fails(2)
    Run("chunk", "decode", "a", "b", "--depot-key", key, "--out", folder / "none").fails(2)


def test_checks(_):
    Run("manifest", "check", CONTENT / "manifests.json").ok()
    Run("chunk", "check", CONTENT / "chunks.json").ok()
    Run("chunk", "check", CONTENT / "manifests.json").fails(1)


# ---- a manifest of our own, and a folder to go with it


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def number(field, value):
    return varint(field << 3) + varint(value)


def text(field, value):
    return varint(field << 3 | 2) + varint(len(value)) + value


def manifest(entries):
    """entries: name, bytes, flags, link target."""
    payload = b""
    for name, data, flags, target in entries:
        entry = text(1, name.encode()) + number(2, len(data)) + number(3, flags) + text(4, hashlib.sha1(name.lower().encode()).digest())
        entry += text(5, hashlib.sha1(data).digest() if data else bytes(20))
        for at in range(0, len(data), 1000):
            piece = data[at:at + 1000]
            entry += text(6, text(1, hashlib.sha1(piece).digest()) + varint(2 << 3 | 5) + struct.pack("<I", 0) + number(3, at) + number(4, len(piece)) + number(5, 64))
        if target:
            entry += text(7, target.encode())
        payload += text(1, entry)
    meta = number(1, 7) + number(2, 2**63 + 1) + number(9, zlib.crc32(struct.pack("<I", len(payload)) + payload))
    return b"".join(struct.pack("<II", magic, len(part)) + part for magic, part in
                    ((0x71F617D0, payload), (0x1F4812BE, meta), (0x1B81B817, b""))) + struct.pack("<I", 0x32C415AB)


ENTRIES = [
    ("bin", b"", 64, ""),
    ("bin\\tool", b"t" * 2500, 32, ""),
    ("bin\\data.pak", bytes(range(256)) * 20, 0, ""),
    ("empty", b"", 0, ""),
    ("latest", b"", 512, "bin\\tool"),
    ("settings.ini", b"default", 1, ""),
]


def install(folder):
    (folder / "bin").mkdir(parents=True)
    for name, data, flags, target in ENTRIES:
        path = folder / name.replace("\\", "/")
        if target:
            path.symlink_to(target.replace("\\", "/"))
        elif not flags & 64:
            path.write_bytes(data)
            path.chmod(0o755 if flags & 32 else 0o644)


def differences(file, folder, *options):
    run = Run("manifest", "verify", file, folder, "--json", *options)
    found = json.loads(run.out)["differences"]
    assert run.code == (1 if found else 0), run.err
    return {(d["name"], d["what"]) for d in found}


def test_a_folder_is_verified(folder):
    file = folder / "7.manifest"
    file.write_bytes(manifest(ENTRIES))
    game = folder / "game"
    install(game)
    assert differences(file, game) == set()
    assert differences(file, game, "--chunks", "--threads", "3") == set()
    assert b"6 entries" in Run("manifest", "verify", file, game).ok()

    (game / "settings.ini").write_bytes(b"the user's")
    assert differences(file, game) == set()
    pak = bytearray((game / "bin/data.pak").read_bytes())
    pak[1500] ^= 1
    pak[4999] ^= 1
    (game / "bin/data.pak").write_bytes(pak)
    assert differences(file, game) == {("bin/data.pak", "content")}
    assert differences(file, game, "--chunks") == {("bin/data.pak", "chunk")}
    text_out = Run("manifest", "verify", file, game, "--chunks").out.decode()
    assert "1000 bytes at 1000" in text_out and "1000 bytes at 4000" in text_out and "at 2000" not in text_out, text_out
    (game / "bin/tool").chmod(0o644)
    (game / "empty").write_bytes(b"x")
    (game / "latest").unlink()
    (game / "latest").symlink_to("elsewhere")
    (game / "bin/data.pak").unlink()
    assert differences(file, game) == {("bin/tool", "mode"), ("empty", "size"), ("latest", "link"), ("bin/data.pak", "missing")}


def test_no_link_is_followed_out_of_the_folder(folder):
    file = folder / "7.manifest"
    file.write_bytes(manifest(ENTRIES))
    game = folder / "game"
    install(game)
    outside = folder / "outside"
    (game / "bin").rename(outside)
    (game / "bin").symlink_to(outside)
    assert differences(file, game) == {("bin", "kind"), ("bin/tool", "kind"), ("bin/data.pak", "kind")}
    (game / "bin").unlink()
    assert {name for name, what in differences(file, game) if what == "missing"} == {"bin", "bin/tool", "bin/data.pak"}
    (game / "bin").mkdir()
    (game / "bin/tool").symlink_to(outside / "tool")
    os.mkfifo(game / "bin/data.pak")
    assert differences(file, game) == {("bin/tool", "kind"), ("bin/data.pak", "kind")}
    (game / "empty").unlink()
    (game / "empty").mkdir()
    (game / "latest").unlink()
    assert {("empty", "kind"), ("latest", "missing")} <= differences(file, game)


def test_unsafe_manifests_touch_no_folder(folder):
    file = folder / "evil.manifest"
    file.write_bytes(manifest([("..\\x", b"x", 0, "")]))
    Run("manifest", "verify", file, folder).fails(1, "evil.manifest", "'..'", "entry 0")
    shown = Run("manifest", "show", "--any-path", file).ok()
    assert b"[refused: " in shown
    assert "refused" in Run("manifest", "show", "--any-path", "--json", file).json()["files"][0]
    file.write_bytes(manifest([("CON", b"x", 0, ""), ("esc\x1b[31m", b"", 0, "")]))
    assert b"esc\\x1b[31m" in Run("manifest", "show", "--any-path", file).ok()
    file.write_bytes(manifest([("CON", b"x", 0, "")]))
    Run("manifest", "verify", file).ok()
    Run("manifest", "verify", "--paths", "windows", file).fails(1, "Windows device")


def test_manifests_are_compared_and_written(folder):
    old, new = folder / "old", folder / "new"
    old.write_bytes(manifest(ENTRIES))
    changed = [e for e in ENTRIES if e[0] != "empty"] + [("copy.pak", ENTRIES[2][1], 0, ""), ("bin\\new", b"n" * 10, 0, "")]
    new.write_bytes(manifest(changed))
    plan = Run("manifest", "diff", old, new, "--json").json()
    assert {(f["name"], f["change"]) for f in plan["files"]} == {("empty", "removed"), ("copy.pak", "added"), ("bin\\new", "added")}
    assert plan["totals"]["chunks_to_fetch"] == 1 and plan["totals"]["bytes_to_write"] == 5120 + 10
    assert sum("local" in c for c in plan["chunks"]) == plan["totals"]["chunks_local"] > 0
    out = Run("manifest", "diff", old, new).ok().decode()
    assert "2 added, 1 removed, 0 changed" in out and "\x1b" not in out

    again = folder / "again"
    Run("manifest", "show", old, "--out", again).ok()
    assert Run("manifest", "show", again, "--json").json()["files"] == Run("manifest", "show", old, "--json").json()["files"]
    Run("manifest", "diff", CONTENT / "manifests/v5_encrypted.bin", old).fails(2, "--depot-key")
    Run("manifest", "verify", CONTENT / "manifests/v5_encrypted.bin", folder).fails(2, "--depot-key")
    Run("manifest", "verify", old, new, folder).fails(2)
    Run("manifest", "show", old, new, "--out", again).fails(2)
    assert Run("manifest", "verify", old, new).ok().count(b": good") == 2
    assert b"names encrypted" in Run("manifest", "show", CONTENT / "manifests/v5_encrypted.bin", "--chunks").ok()
    Run("manifest", "show", CONTENT / "manifests/bad_crc.bin").fails(1, "CRC-32")
    assert b"payload CRC differs" in Run("manifest", "show", "--ignore-crc", CONTENT / "manifests/bad_crc.bin").ok()
    assert b"manifest 7262144381234567890" in Run("manifest", "show", "-", stdin=(CONTENT / "manifests/v5_plain_zip.bin").read_bytes()).ok()


def test_benchmarks_show_figures(_):
    rows = Run("bench", "manifest", "--files", "300", "--seconds", "0.01", "--json").json()["rows"]
    assert [r["impl"] for r in rows][:2] == ["corliss", "corliss, parse alone"] and all(r["ns"]["median"] > 0 for r in rows)
    assert "protobuf + base64 + AES" in Run("bench", "manifest", "--files", "20", "--seconds", "0.01").ok().decode()
    rows = Run("bench", "chunk", "--size", "5000", "--threads", "--seconds", "0.01", "--json").json()["rows"]
    assert {r["op"] for r in rows} == {"zip", "lzma", "zstd"}
    assert any(r["impl"] == "pool, two threads" for r in rows)
    assert all(r["allocs"] == 0 for r in rows if r["impl"] == "corliss" and r["op"] != "lzma")
    Run("bench", "chunk", "--size", "0").fails(2)


main(globals())
