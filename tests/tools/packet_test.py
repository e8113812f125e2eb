import json
import os

from command import DATA, Run, main

VECTORS = json.loads((DATA / "crypto/channel.json").read_text())
GOOD = next(v for v in VECTORS["hmac"] if v["plaintext_len"] > 0)
KEY, RANDOM = GOOD["key"], GOOD["random"]
PLAIN, PACKET = bytes.fromhex(GOOD["plaintext"]), bytes.fromhex(GOOD["packet"])


def test_seal_gives_the_bytes_of_the_vector(folder):
    (folder / "message").write_bytes(PLAIN)
    assert Run("packet", "seal", "--key", KEY, "--random", RANDOM, folder / "message").ok() == PACKET
    assert Run("packet", "seal", "--key", KEY, "--random", RANDOM, "-", stdin=PLAIN).ok() == PACKET
    hexed = Run("packet", "seal", "--hex", "--key", KEY, "--random", RANDOM, stdin=PLAIN.hex().encode() + b"\n").ok()
    assert hexed == PACKET.hex().encode() + b"\n"
    value = Run("packet", "seal", "--json", "--key", KEY, "--random", RANDOM, stdin=PLAIN).json()
    assert value == {"packet": PACKET.hex(), "size": len(PACKET), "format": "hmac"}


def test_fresh_nonces_differ_and_open(_):
    one, two = (Run("packet", "seal", "--key", KEY, stdin=b"hello").ok() for _ in range(2))
    assert one != two
    assert Run("packet", "open", "--key", KEY, stdin=one).ok() == b"hello"


def test_legacy_takes_an_iv(_):
    vector = VECTORS["legacy"][1]
    plain, packet = bytes.fromhex(vector["plaintext"]), bytes.fromhex(vector["packet"])
    options = ("--format", "legacy", "--key", vector["key"])
    assert Run("packet", "seal", *options, "--iv", vector["iv"], stdin=plain).ok() == packet
    assert Run("packet", "open", *options, stdin=packet).ok() == plain
    Run("packet", "seal", *options, "--random", RANDOM).fails(2, "--iv")
    Run("packet", "seal", "--key", KEY, "--iv", vector["iv"]).fails(2, "--random")


def test_every_source_of_a_key(folder):
    (folder / "raw").write_bytes(bytes.fromhex(KEY))
    (folder / "hex").write_text(KEY + "\n")
    for spec in (f"@{folder}/raw", f"@{folder}/hex", "env:CORLISS_TEST_KEY"):
        assert Run("packet", "open", "--key", spec, stdin=PACKET, env={"CORLISS_TEST_KEY": KEY}).ok() == PLAIN, spec
    reader, writer = os.pipe()
    os.write(writer, KEY.encode())
    os.close(writer)
    assert Run("packet", "open", "--key", f"fd:{reader}", stdin=PACKET, pass_fds=(reader,)).ok() == PLAIN
    os.close(reader)


def test_bad_keys_are_refused_without_showing_them(folder):
    secret = "00ff" * 15
    for spec in (secret, "", KEY + "00", KEY[:-1] + "g", "env:CORLISS_NO_SUCH_KEY", "fd:x", "fd:-1", "fd:"):
        run = Run("packet", "open", "--key", spec, stdin=PACKET)
        run.fails(2)
        assert not spec or spec.startswith(("env:", "fd:")) or spec.encode() not in run.err
    Run("packet", "open", "--key", f"@{folder}/absent", stdin=PACKET).fails(5, "absent")
    Run("packet", "open", "--key", "fd:977", stdin=PACKET).fails(5, "fd:977")


def test_refused_packets_print_nothing(folder):
    for vector in VECTORS["reject"]:
        packet = bytes.fromhex(vector["packet"])
        Run("packet", "open", "--format", vector["format"], "--key", vector["key"], stdin=packet).fails(1)
    Run("packet", "open", "--key", KEY, "--hex", stdin=b"xyz").fails(1, "hexadecimal")
    Run("packet", "open", "--key", KEY, folder / "absent").fails(5, "absent")
    Run("packet", "open", "--key", KEY, folder).fails(5)


def test_check_runs_every_case(folder):
    out = Run("packet", "check", DATA / "crypto/channel.json").ok().decode()
    cases = sum(len(VECTORS[k]) for k in ("hmac", "legacy", "reject", "legacy_undetected", "universe_keys", "crc32", "handshake"))
    cases += sum(v["name"].startswith("mock-server-key") for v in VECTORS["handshake"])
    assert out.splitlines()[-1] == f"{cases} cases, 0 failed, 0 skipped", out


def test_check_finds_what_is_wrong(folder):
    broken = json.loads(json.dumps(VECTORS))
    broken["hmac"][0]["packet"] = broken["hmac"][0]["packet"][:-2] + "00"
    broken["reject"].append({**broken["hmac"][1], "format": "hmac", "name": "good-one"})
    (folder / "broken.json").write_text(json.dumps(broken))
    run = Run("packet", "check", folder / "broken.json")
    assert run.code == 1 and b"FAIL " + broken["hmac"][0]["name"].encode() in run.out and b"FAIL good-one" in run.out, run.out
    assert run.out.splitlines()[-1].endswith(b" 2 failed, 0 skipped")
    for text in ("", "{}", "[]", "{", '{"hmac": [{}]}', '{"hmac": 3}'):
        (folder / "bad.json").write_text(text)
        Run("packet", "check", folder / "bad.json").fails(1, "bad.json")
    Run("packet", "check", folder / "absent.json").fails(5)


def test_kernels(_):
    kernels = Run("packet", "kernels", "--json").json()
    assert kernels[-1]["name"] == "portable" and all(k.keys() == {"name", "needs", "supported"} for k in kernels)
    for kernel in kernels:
        run = Run("packet", "check", DATA / "crypto/channel.json", env={"CORLISS_KERNEL": kernel["name"]})
        if kernel["supported"]:
            run.ok()
        else:
            run.fails(2, kernel["name"])
    Run("packet", "seal", "--key", KEY, env={"CORLISS_KERNEL": "no-such"}).fails(2, "no-such", "portable")


main(globals())
