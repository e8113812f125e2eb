"""many_connections_test.py CORLISS MANY_CLIENTS [CONNECTIONS [MESSAGES]]: that many clients (1000, 100) at one `corliss
serve`, over TCP, then over wss: all complete, no answer is lost or another's. Prints what an idle session costs either
side in resident memory; that is a figure, not a condition, since sanitizers multiply it."""
import json
import pathlib
import signal
import subprocess
import sys
import tempfile

corliss, many_clients = sys.argv[1:3]
connections = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
messages = int(sys.argv[4]) if len(sys.argv) > 4 else 100


def resident(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no VmRSS")


def run(scheme, folder):
    server = subprocess.Popen([corliss, "serve", f"--{scheme}", "127.0.0.1:0", "--heartbeat", "600"], stdout=subprocess.PIPE)
    try:
        told = json.loads(server.stdout.readline())
        key, certificate = folder / "key.pem", folder / "ca.pem"
        key.write_text(told["public_key"])
        certificate.write_text(told["certificate"])
        before = resident(server.pid)
        client = subprocess.Popen([many_clients, told["endpoints"][scheme], key, certificate, str(connections), str(messages)],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        seen = json.loads(client.stdout.readline())
        grown = resident(server.pid) - before
        client.communicate(timeout=120)
        assert (seen["complete"], seen["answers"], seen["wrong"], seen["lost"]) == (connections, connections * messages, 0, 0), seen
        assert client.returncode == 0, client.returncode
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=60) == 130
    finally:
        if server.poll() is None:
            server.kill()
            server.wait()
    print(f"passed {scheme}: {connections} connections, {connections * messages} answers, none lost or mixed up; an idle session"
          f" takes {seen['idle_bytes'] / 1024:.1f} KiB of the client, {grown / connections / 1024:.1f} KiB of the server", flush=True)


for scheme in ("tcp", "wss"):
    with tempfile.TemporaryDirectory() as name:
        run(scheme, pathlib.Path(name))
