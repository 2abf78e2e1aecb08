"""Servers are asked over TLS, and only those whose certificate is trusted."""

import pathlib
import subprocess
import tempfile
import unittest

from Tests.Fleet.places import migrate
from tools.fleet import clickhouse


class Encryption(unittest.TestCase):
    def test_only_a_trusted_server_is_asked(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            subprocess.run([clickhouse.ROOT / "tools" / "build" / "prepare", "openssl"], check=True)
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", folder / "key.pem", "-out", folder / "own.pem",
                            "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
            port = clickhouse.free_port()
            more = (f"<https_port>{port}</https_port><openSSL><server><certificateFile>{folder}/own.pem</certificateFile>"
                    f"<privateKeyFile>{folder}/key.pem</privateKeyFile><verificationMode>none</verificationMode>"
                    "<disableProtocols>sslv2,sslv3</disableProtocols></server></openSSL>")
            with clickhouse.servers(folder, 1, more=more) as servers:
                url = f"https://writer@127.0.0.1:{port}/secret"
                (folder / "password").write_text(clickhouse.PASSWORD + "\n")
                words = ["--to", url, "--password-file", folder / "password"]
                said = migrate(*words, code=3)
                self.assertIn("is not trusted", said)
                self.assertIn("--certificates", said)
                self.assertNotIn(clickhouse.PASSWORD, said)
                self.assertEqual(servers[0].query("SELECT count() FROM system.databases WHERE name = 'secret'"), "0\n")
                self.assertIn("migrated", migrate(*words, "--certificates", folder / "own.pem"))
                # The same server by a name that its certificate does not have.
                self.assertIn("is not trusted", migrate("--to", url.replace("127.0.0.1", "localhost"), "--password-file", folder / "password",
                                                        "--certificates", folder / "own.pem", code=3))
                (folder / "password").write_text("a wrong one\n")
                said = migrate(*words, "--certificates", folder / "own.pem", code=3)
                self.assertIn("refuses this user", said)
                self.assertNotIn("a wrong one", said)


if __name__ == "__main__":
    unittest.main()
