"""A proxy on loopback that mostly passes on, and otherwise cuts, halves, slows, answers nonsense or an error, or never answers.

usage: BrokenProxy(server_port, seed) as a context manager; `faults` is how often a connection is broken, from 0 to 1.
"""
import collections
import random
import socket
import threading
import time

KINDS = ["cut", "half", "slow", "nonsense", "error", "never", "lost answer"]
NEVER = 3  # Seconds until a connection that is never answered ends: less than any client's patience.


class BrokenProxy:
    def __init__(self, server_port, seed, faults=0.5):
        self.server_port, self.faults = server_port, faults
        self.chance, self.counts = random.Random(seed), collections.Counter()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            kind = self.chance.choice(KINDS) if self.chance.random() < self.faults else "whole"
            # A connection is kept for many requests, so it breaks after some of them.
            after = self.chance.randrange(0, 40_000)
            self.counts[kind] += 1
            threading.Thread(target=self.serve, args=(client, kind, after), daemon=True).start()

    def serve(self, client, kind, after):
        try:
            server = socket.create_connection(("127.0.0.1", self.server_port), timeout=30)
        except OSError:
            client.close()
            return
        state = {"kind": kind, "left": after, "broken": False}
        threads = [threading.Thread(target=self.pump, args=(client, server, state, True), daemon=True),
                   threading.Thread(target=self.pump, args=(server, client, state, False), daemon=True)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        client.close()
        server.close()

    def pump(self, source, target, state, is_request):
        try:
            while piece := source.recv(4_096):
                if state["broken"] and not is_request:
                    # The server did its work, and nobody hears of it.
                    continue
                if is_request and state["kind"] != "whole" and not state["broken"]:
                    state["left"] -= len(piece)
                    if state["left"] < 0 and not self.fail(source, target, piece, state):
                        break
                if not is_request and state["kind"] == "half" and state["left"] < 0:
                    target.sendall(piece[:len(piece) // 2])
                    break
                target.sendall(piece)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def fail(self, client, server, piece, state):
        """Breaks a request at this piece. Returns whether it goes on."""
        kind = state["kind"]
        if kind == "slow":
            time.sleep(self.chance.random() / 5)
            return True
        if kind == "half":
            return True
        state["broken"] = True
        if kind == "lost answer":
            return True
        if kind == "never":
            time.sleep(NEVER)
        elif kind == "nonsense":
            client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 26\r\n\r\n<html>Please log in</html>")
        elif kind == "error":
            client.sendall(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 4\r\n\r\nbusy")
        else:
            server.sendall(piece[:len(piece) // 2])
        return False
