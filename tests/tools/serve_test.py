import json
import signal
import socket
import subprocess

from command import CORLISS, Run, main


class Served:
    """`corliss serve` while the block runs; `told` is its line."""

    def __init__(self, *args):
        self.process = subprocess.Popen([CORLISS, "serve", *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.told = json.loads(self.process.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err

    def address(self, scheme):
        host, port = self.told["endpoints"][scheme].removeprefix(scheme + "://").rsplit(":", 1)
        return host.strip("[]"), int(port)


def test_every_transport_by_default(_):
    with Served() as served:
        assert served.told["endpoints"].keys() == {"tcp", "udp", "ws", "wss"}
        assert served.told["public_key"].startswith("-----BEGIN PUBLIC KEY-----")
        assert served.told["certificate"].startswith("-----BEGIN CERTIFICATE-----")
        with socket.create_connection(served.address("tcp")) as client:
            frame = client.recv(52, socket.MSG_WAITALL)  # ChannelEncryptRequest
            assert frame[:12] == bytes.fromhex("2c00000056543031" "17050000"), frame.hex()
        with socket.create_connection(served.address("ws")) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                           b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
            assert client.recv(12, socket.MSG_WAITALL) == b"HTTP/1.1 404"
        assert served.stop() == (130, b"", b"")


def test_only_what_is_asked_for(folder):
    certificate = folder / "ca.pem"
    with Served("--wss", "127.0.0.1:0", "--tcp", "[::1]:0", "--cert-out", certificate) as served:
        assert served.told["endpoints"].keys() == {"tcp", "wss"}
        assert served.address("tcp")[0] == "::1"
        assert certificate.read_text() == served.told["certificate"]
        assert served.stop(signal.SIGTERM)[0] == 130


def test_stops_with_clients_connected(_):
    with Served() as served, socket.create_connection(served.address("tcp")) as client:
        assert client.recv(8)
        assert served.stop()[0] == 130


def test_key_of_a_file(folder):
    key = folder / "key.pem"
    subprocess.run(["openssl", "genrsa", "-out", key, "1024"], check=True, capture_output=True)
    public = subprocess.run(["openssl", "rsa", "-in", key, "-pubout"], check=True, capture_output=True).stdout
    with Served("--tcp", "127.0.0.1:0", "--key", key) as served:
        assert served.told["public_key"] == public.decode()


def test_faults(folder):
    script = folder / "faults.json"
    script.write_text('{"faults": [{"fault": "half_close", "after_bytes": 8, "connections": 2}]}')
    with Served("--tcp", "127.0.0.1:0", "--faults", script) as served:
        for want in (52, 8):
            with socket.create_connection(served.address("tcp")) as client:
                client.settimeout(30)
                assert len(client.recv(52, socket.MSG_WAITALL)) == want


def test_wrong_use(folder):
    Run("serve", "--tcp", "localhost").fails(2, "--tcp", "ADDRESS:PORT")
    Run("serve", "--tcp", "127.0.0.1:x").fails(2, "--tcp")
    Run("serve", "--tcp", "203.0.113.1:0").fails(5, "tcp://203.0.113.1:0")
    Run("serve", "--heartbeat", "0").fails(2)
    script = folder / "faults.json"
    script.write_text('{"faults": [{"fault": "delay"}]}')
    Run("serve", "--faults", script).fails(1, str(script), "faults[0]", "by_ms")
    Run("serve", "--faults", folder / "absent").fails(5, "absent")
    Run("serve", "--key", script).fails(1, str(script), "RSA private key")


main(globals())
