"""What programs on this machine that do not know the token can do to `stallwatch serve`: nothing that others notice."""

import os
import resource
import signal
import socket
import struct
import threading
import time
import unittest

from .recording import Folder, record
from .test_serve import Server

# Others are served within this time whatever is going on, in seconds, and so many times what a page took before: far more
# than it takes, for a busy machine, and less than a reader in quadratic time would.
GENEROUS = 30
PAGES = 20
# What the server may have resident, in bytes.
MOST_MEMORY = 200 << 20


def resident(pid):
    """The most memory that a process had resident, in bytes."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024


def descriptors(pid):
    """How many files a process has open."""
    return len(os.listdir(f"/proc/{pid}/fd"))


class Attacker:
    """Connections that send what they should not, until it is closed."""

    def __init__(self, port):
        self.port, self.sockets, self.threads, self.goes_on = port, [], [], True

    def connect(self, small=False):
        """A connection that stays open until the attacker is closed."""
        self.sockets.append(self.open(small))
        return self.sockets[-1]

    def open(self, small=False):
        """A connection that its caller closes. Whoever opens them without end needs this: this process may open few files."""
        connection = socket.socket()
        if small:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        connection.settimeout(GENEROUS)
        connection.connect(("127.0.0.1", self.port))
        return connection

    def send(self, connection, data):
        try:
            connection.sendall(data)
            return True
        except OSError:
            return False

    def run(self, work):
        thread = threading.Thread(target=work, daemon=True)
        self.threads.append(thread)
        thread.start()

    def close(self):
        self.goes_on = False
        for connection in self.sockets:
            connection.close()
        for thread in self.threads:
            thread.join(GENEROUS)


class AttackedServer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.store = record(cls.folder.path, stalls=3, seconds=1)

    @classmethod
    def tearDownClass(cls):
        cls.folder.close()

    def setUp(self):
        self.quiet = None
        self.start()

    def start(self):
        self.server = Server(self.store)
        self.addCleanup(self.server.close)
        self.attacker = Attacker(self.server.port)
        self.addCleanup(self.attacker.close)
        self.assertEqual(self.page(), 200)

    def page(self, path=None):
        began = time.monotonic()
        answer = self.server.get(path or self.server.path)
        answer.read()
        took = time.monotonic() - began
        self.quiet = self.quiet or took
        self.assertLess(took, GENEROUS + PAGES * self.quiet)
        return answer.status

    def exchange(self, data):
        """What the server answers to these bytes until it closes the connection."""
        answer = b""
        with self.attacker.open() as connection:
            self.attacker.send(connection, data)
            try:
                while part := connection.recv(65536):
                    answer += part
            except ConnectionError:
                pass
        return answer

    def holds(self):
        """Others are served, and it ends as it should."""
        for _ in range(5):
            self.assertEqual(self.page(), 200)
        self.assertLess(resident(self.server.process.pid), MOST_MEMORY)
        self.attacker.close()
        self.assertEqual(self.page(), 200)
        self.assertEqual(self.server.close(), 0)

    def test_lines_without_an_end(self):
        for _ in range(8):
            connection = self.attacker.connect()
            self.attacker.run(lambda connection=connection: self.attacker.send(connection, b"x" * 300_000))
        self.holds()

    def test_endless_lines_again_and_again(self):
        def flood():
            while self.attacker.goes_on:
                try:
                    with self.attacker.open() as connection:
                        self.attacker.send(connection, b"GET /" + b"x" * 300_000)
                except OSError:
                    return
        # As few as any machine allows a process: the flood may not depend on what this one allows.
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 128), hard))
        for _ in range(4):
            self.attacker.run(flood)
        time.sleep(2)
        self.holds()

    def test_header_floods(self):
        flood = b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 100_000 + b"\r\n"
        for _ in range(8):
            connection = self.attacker.connect()
            self.attacker.run(lambda connection=connection: self.attacker.send(connection, flood))
        self.holds()

    def test_a_thousand_connections_that_say_nothing(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
        for _ in range(min(1000, min(hard, 4096) - 100)):
            self.attacker.connect()
        self.assertLess(descriptors(self.server.process.pid), 150)
        self.holds()

    def test_requests_that_come_a_byte_at_a_time(self):
        request = f"GET {self.server.path} HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\nX: ".encode()
        slow = [self.attacker.connect() for _ in range(100)]

        def drip():
            place = 0
            while self.attacker.goes_on:
                for connection in slow:
                    self.attacker.send(connection, (request + b"y" * 100_000)[place:place + 1])
                place += 1
                time.sleep(0.2)
        self.attacker.run(drip)
        time.sleep(3)
        self.holds()

    def test_a_request_that_never_ends_is_given_up(self):
        connection = self.attacker.connect()
        connection.sendall(b"GET / HTTP/1.1\r\n")
        # It has ten seconds; the connection's own limit is the one that fails this test.
        self.assertEqual(connection.recv(100), b"")

    def test_a_reader_that_never_reads(self):
        port = self.server.port
        for path in (self.server.path, self.server.path + "events"):
            for _ in range(40):
                connection = self.attacker.connect(small=True)
                self.attacker.send(connection, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        self.holds()

    def test_connections_that_are_cut_off(self):
        request = f"GET {self.server.path} HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\n\r\n".encode()
        for _ in range(200):
            with self.attacker.open() as connection:
                self.attacker.send(connection, request)
                # Without lingering, closing resets the connection.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.holds()

    def test_what_is_no_request(self):
        host, path = f"127.0.0.1:{self.server.port}".encode(), self.server.path.encode()
        good = b"GET " + path + b" HTTP/1.1\r\nHost: " + host + b"\r\n"
        self.assertTrue(self.exchange(good + b"\r\n").startswith(b"HTTP/1.1 200"))
        bad = {
            "two hosts": good + b"Host: example.com\r\n\r\n",
            "two hosts, the other way round": b"GET " + path + b" HTTP/1.1\r\nHost: example.com\r\nHost: " + host + b"\r\n\r\n",
            "the same host twice": good + b"Host: " + host + b"\r\n\r\n",
            "no host": b"GET " + path + b" HTTP/1.1\r\n\r\n",
            "a host and more": b"GET " + path + b" HTTP/1.1\r\nHost: " + host + b" example.com\r\n\r\n",
            "another site's address": b"GET http://example.com" + path + b" HTTP/1.1\r\nHost: " + host + b"\r\n\r\n",
            "an address with a host": b"GET http://" + host + path + b" HTTP/1.1\r\nHost: example.com\r\n\r\n",
            "a folded line": good + b" Host: example.com\r\n\r\n",
            "a space before the colon": good + b"Host : example.com\r\n\r\n",
            "a line without a colon": good + b"Host\r\n\r\n",
            "a bare line feed": good + b"X: y\nHost: example.com\r\n\r\n",
            "a zero byte": good + b"X: \0\r\n\r\n",
            "another protocol": b"GET " + path + b"\r\n\r\n",
            "another version": good.replace(b"1.1\r\n", b"2.0\r\n", 1) + b"\r\n",
            "another method": good.replace(b"GET", b"POST") + b"\r\n",
            "a body": good.replace(b"GET", b"PUT") + b"Content-Length: 99999999999999999999\r\n\r\n",
            "65 fields": good + b"A: b\r\n" * 65 + b"\r\n",
            "8 KB and more": good + b"A: " + b"b" * 9_000 + b"\r\n\r\n",
            "bytes that are no text": good + b"A: \xff\xfe\r\n\r\n",
            "a proxy's tunnel": b"CONNECT " + host + b" HTTP/1.1\r\nHost: " + host + b"\r\n\r\n",
            "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\r\n\r\n",
            "nothing": b"\r\n\r\n",
        }
        for what, data in bad.items():
            with self.subTest(what):
                answer = self.exchange(data)
                self.assertTrue(answer == b"" or answer.startswith(b"HTTP/1.1 404"), answer[:200])
                self.assertNotIn(b"stall", answer)
        self.holds()

    def test_wrong_tokens(self):
        wrong = "/" + "0" * 32 + "/"
        for _ in range(300):
            self.assertEqual(self.page(wrong), 404)
        self.holds()

    def test_few_files(self):
        """A process that may open few files serves a few at a time, and goes on when it has none left."""
        self.server.close()
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        for limit in (20, 28, 40):
            with self.subTest(limit=limit):
                self.server = Server(self.store, limits={resource.RLIMIT_NOFILE: (limit, limit)})
                self.addCleanup(self.server.close)
                self.attacker = Attacker(self.server.port)
                self.assertEqual(self.page(), 200)
                for _ in range(60):
                    self.attacker.connect()
                self.holds()

    def test_signals_in_the_middle_of_it(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number=number):
                self.server.close()
                self.start()
                for _ in range(100):
                    self.attacker.send(self.attacker.connect(), b"x" * 5_000)
                self.server.process.send_signal(number)
                self.assertEqual(self.server.process.wait(timeout=GENEROUS), 0)
                self.attacker.close()


if __name__ == "__main__":
    unittest.main()
