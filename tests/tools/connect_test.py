"""`corliss connect`: against `corliss serve`, and against nobody."""
import json
import os
import socket
import stat
import subprocess

from command import CORLISS, Run, main

STEPS = ["resolved", "trying", "opened", "connected", "closed"]


class Served:
    """`corliss serve` while the block runs, its key and certificate in files."""

    def __init__(self, folder):
        self.process = subprocess.Popen([CORLISS, "serve"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        told = json.loads(self.process.stdout.readline())
        self.endpoints = told["endpoints"]
        (folder / "key.pem").write_text(told["public_key"])
        (folder / "ca.pem").write_text(told["certificate"])
        self.trust = ["--server-key", folder / "key.pem", "--ca", folder / "ca.pem"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_every_transport_logs_on(folder):
    with Served(folder) as served:
        for scheme, endpoint in served.endpoints.items():
            value = Run("connect", endpoint, *served.trust, "--anonymous", "--json").json()
            assert value["endpoint"] == endpoint
            steps = [step["step"] for step in value["steps"]]
            want = STEPS[:3] + (["tls"] if scheme == "wss" else []) + ["connected", "logon", "logged on", "logged off", "closed"]
            assert steps == want, (scheme, steps)
            times = [step["ms"] for step in value["steps"]]
            assert times == sorted(times)
            last = value["steps"][-1]
            assert last["bytes_in"] > 100 and last["bytes_out"] > 100, last


def test_trace_for_people(folder):
    with Served(folder) as served:
        lines = Run("connect", served.endpoints["tcp"], *served.trust).ok().decode().splitlines()
        assert [line.split(" B out")[1].split()[0] for line in lines] == STEPS, lines


def test_wrong_key_and_unknown_certificate(folder):
    with Served(folder) as served:
        done = Run("connect", served.endpoints["tcp"])  # with the key of Steam's universe
        assert done.code in (3, 4) and b"corliss: tcp://" in done.err, done.err
        other = folder / "other.pem"
        with Served(folder) as another:
            other.write_text((folder / "ca.pem").read_text())
            done = Run("connect", served.endpoints["wss"], "--ca", other, "--json")
            assert done.code == 3 and b"certificate" in done.err and done.out == b"", (done.code, done.err)


def test_key_log(folder):
    path = folder / "keys.txt"
    with Served(folder) as served:
        for scheme in ("tcp", "udp", "wss"):
            done = Run("connect", served.endpoints[scheme], *served.trust, "--keylog", path, "--json")
            assert done.code == 0 and b"warning" in done.err, done.err
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    lines = path.read_text().splitlines()
    channel = [line.split() for line in lines if line.startswith("CHANNEL_SESSION_KEY ")]
    assert len(channel) == 2 and all(len(word[1]) == 64 and len(word[2]) == 64 for word in channel), lines
    assert channel[0][2] != channel[1][2]
    assert any(line.startswith("CLIENT_TRAFFIC_SECRET_0 ") for line in lines), lines
    link = folder / "link"
    link.symlink_to(path)
    Run("connect", "tcp://127.0.0.1:1", "--keylog", link).fails(5, "symbolic link")
    path.chmod(0o644)
    Run("connect", "tcp://127.0.0.1:1", "--keylog", path).fails(5, "only its owner")


def test_nobody_there(_):
    for scheme in ("tcp", "udp", "ws", "wss"):
        done = Run("connect", f"{scheme}://127.0.0.1:{free_port()}", "--json")
        assert done.code == 3 and b"refused" in done.err and done.out == b"", (scheme, done.code, done.err)


def test_time_out(_):
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        endpoint = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        done = Run("connect", endpoint, "--timeout", 0.1, "--json")
        assert done.code == 3 and b"in time" in done.err, done.err


def test_usage(folder):
    for endpoint in ("", "nonsense", "http://127.0.0.1:1", "tcp://127.0.0.1", "tcp://127.0.0.1:0", "tcp://::1:1"):
        Run("connect", endpoint).fails(2, "not an endpoint")
    Run("connect", "ws://example.com:80").fails(2, "loopback only")
    (folder / "bad.pem").write_text("nothing")
    Run("connect", "tcp://127.0.0.1:1", "--server-key", folder / "bad.pem").fails(1, "bad.pem")
    Run("connect", "wss://127.0.0.1:1", "--ca", folder / "bad.pem").fails(1, "bad.pem")
    Run("connect", "tcp://127.0.0.1:1", "--server-key", folder / "none.pem").fails(5, "none.pem")
    assert b"Examples:" in Run("connect", "--help").ok()


main(globals())
