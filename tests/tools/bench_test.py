"""The shape of what the benchmark prints. Never a time: those depend on the machine."""
import xml.etree.ElementTree as xml

from command import Run, main

OPS = {"seal", "open", "mac", "key"}
IMPLS = {"corliss", "kept", "kept-pool", "fresh", "ipsec-mb", "steam-crypto"}


def is_spread(value, zero_allowed=False):
    assert set(value) == {"median", "min", "max"}, value
    assert value["min"] <= value["median"] <= value["max"], value
    assert zero_allowed or value["min"] > 0, value


def check_machine(machine):
    assert set(machine) == {"cpu", "features", "compiler", "openssl"}, machine
    assert machine["cpu"] and machine["compiler"] and machine["openssl"].startswith("OpenSSL 3")
    assert all(isinstance(feature, str) for feature in machine["features"])


def check_row(row):
    assert set(row) == {"op", "impl", "kernel", "size", "batch", "sessions", "ns_per_packet", "allocs_per_packet",
                        "alloc_bytes_per_packet", "ratio_to_kept"}, row
    assert row["op"] in OPS and row["impl"] in IMPLS and isinstance(row["kernel"], str), row
    is_spread(row["ns_per_packet"])
    is_spread(row["ratio_to_kept"])
    if row["impl"] == "kept":
        assert row["ratio_to_kept"] == {"median": 1, "min": 1, "max": 1}, row
    if row["impl"] == "corliss" and row["op"] != "key":
        assert row["allocs_per_packet"] == 0 and row["alloc_bytes_per_packet"] == 0, row
    if row["impl"] == "fresh":
        assert row["allocs_per_packet"] >= 3, row


def test_json_has_the_documented_shape(_):
    value = Run("bench", "packet", "--quick", "--seconds", 0.2, "--size", 64, "--size", 670, "--batch", 1, "--batch", 4, "--json").json()
    assert set(value) == {"machine", "rows"}, set(value)
    check_machine(value["machine"])
    for row in value["rows"]:
        check_row(row)
    seen = {(row["op"], row["impl"], row["size"], row["batch"], row["sessions"]) for row in value["rows"]}
    assert len(seen) == len(value["rows"]), "a row twice"
    for size in (64, 670):
        for op in ("seal", "open"):
            for impl in ("corliss", "kept", "fresh"):
                assert (op, impl, size, 1, 1) in seen, (op, impl, size)
            assert (op, "corliss", size, 4, 1) in seen and (op, "corliss", size, 4, 4) in seen
        assert ("seal", "kept-pool", size, 1, 1) in seen
        for op in ("mac", "key"):
            assert (op, "corliss", size, 1, 1) in seen and (op, "kept", size, 1, 1) in seen


def test_breakdown_shares_add_up_and_mixed_sizes_say_so(_):
    value = Run("bench", "packet", "--quick", "--seconds", 0.2, "--batch", 1, "--breakdown", "--mixed", "--json").json()
    assert {(part["op"], part["impl"]) for part in value["breakdown"]} == {
        (op, impl) for op in ("seal", "open") for impl in ("fresh", "kept", "corliss")}
    for part in value["breakdown"]:
        assert abs(sum(part["share"].values()) - 1) < 0.01, part
        assert set(part["share"]) == {"random", "mac", "cipher", "rest"}
    mixed = [row for row in value["rows"] if row["size"] == "16-1500"]
    assert {(row["op"], row["impl"]) for row in mixed} >= {(op, i) for op in ("seal", "open") for i in ("corliss", "kept")}


def test_kernel_is_the_one_asked_for(_):
    value = Run("bench", "packet", "--quick", "--seconds", 0.2, "--size", 64, "--batch", 1, "--kernel", "portable", "--json").json()
    assert {row["kernel"] for row in value["rows"] if row["impl"] == "corliss"} == {"portable"}
    Run("bench", "packet", "--kernel", "no-such-kernel").fails(2, "portable")


def test_svg_is_xml_with_a_line_for_each_implementation(folder):
    path = folder / "packet.svg"
    Run("bench", "packet", "--quick", "--seconds", 0.2, "--size", 64, "--batch", 1, "--batch", 2, "--svg", path).ok()
    root = xml.parse(path).getroot()
    assert root.tag.endswith("svg")
    texts = {element.text for element in root.iter() if element.tag.endswith("text")}
    assert {"corliss", "kept", "fresh"} <= texts, texts


def test_wrong_options_are_wrong_usage(_):
    Run("bench").fails(2)
    Run("bench", "packet", "--batch", 0).fails(2, "--batch 0")
    Run("bench", "packet", "--size", 1 << 30).fails(2, "--size")
    Run("bench", "packet", "--size", "many").fails(2, "--size")


def test_demo_begins_with_the_four_lines_of_the_report(_):
    lines = Run("demo", "--seconds", 0.2).ok().decode().splitlines()
    text = "\n".join(lines)
    for words in ("time to encrypt", "time to decrypt", "memory to encrypt", "memory to decrypt"):
        assert any(line.startswith(words) and "→" in line for line in lines[:8]), words
    for figure in ("6.464 µs → 4.054 µs", "6.524 µs → 3.688 µs", "6320 B → 848 B", "5208 B → 1008 B"):
        assert figure in text, figure
    assert "another machine" in text
    value = Run("demo", "--seconds", 0.2, "--json").json()
    assert len(value["report"]) == 4 and value["rows"] and value["breakdown"]


def test_kv_has_the_documented_shape(_):
    value = Run("bench", "kv", "--size", 1, "--seconds", 0.1, "--json").json()
    assert set(value) == {"machine", "rows", "memory"}, set(value)
    check_machine(value["machine"])
    found = {(row["form"], row["impl"]) for row in value["rows"]}
    both = {"memcpy", "plain", "tree", "tree-reused", "stream"}
    assert found == {(f, i) for f in ("text", "binary") for i in both} | {
        ("appinfo", i) for i in ("memcpy", "tree-reused", "skip")}, found
    for row in value["rows"]:
        is_spread(row["mb_per_s"])
        is_spread(row["share_of_memcpy"])
        if row["impl"] in ("tree-reused", "stream") and row["form"] != "appinfo":
            assert row["allocs_per_pass"] < 100, row
    assert [row["form"] for row in value["memory"]] == ["text", "binary"]
    assert all(row["nodes"] > 10000 for row in value["memory"])


def test_connection_has_the_documented_shape(folder):
    picture = folder / "trips.svg"
    value = Run("bench", "connection", "--seconds", 0.05, "--json", "--svg", picture).json()
    check_machine(value["machine"])
    assert value["transport"] == "tcp" and value["connections"] == 1
    rows = {(row["op"], row["impl"]): row for row in value["rows"]}
    assert rows.keys() == {("stream", "socket"), ("stream", "plain"), ("stream", "encrypted"), ("seal+open", "batch"),
                           ("ping-pong", "plain"), ("ping-pong", "encrypted"), ("seal+open", "single")}, rows.keys()
    for (op, _), row in rows.items():
        is_spread(row["ns"])
        assert row["size"] == 670 and row["allocs"] < 0.05, row  # a pass begins with a few
        assert ("percentiles_us" in row) == (op == "ping-pong"), row
    assert value["encryption_over_batch"] and value["encryption_over_two_packets"]
    xml.parse(picture)
    for transport in ("udp", "ws"):
        value = Run("bench", "connection", "--seconds", 0.02, "--transport", transport, "--connections", 3, "--json").json()
        assert value["connections"] == 3 and value["encryption_over_batch"] is None
    assert "ping-pong" in Run("bench", "connection", "--seconds", 0.02, "--size", 16).ok().decode()


main(globals())
