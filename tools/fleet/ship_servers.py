"""What `ship` ships to in its judge: servers that are killed and come back at the same port."""
import collections
import contextlib
import json
import pathlib
import socket
import subprocess
import sys
import time

from tools.fleet import stand_in

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 120  # Seconds until something that should happen has not.
RUNNING = []


def begin(command, **more):
    """Starts a process that `end_all` ends."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, **more)
    RUNNING.append(process)
    return process


def end_all():
    for process in RUNNING:
        if process.poll() is None:
            process.kill()
            process.wait()


class StandIn:
    """The server that stands in (tools/fleet/stand_in.py); with - for a directory it looks at nothing, as fast as it goes."""

    database = ""

    def __init__(self, directory):
        self.directory = directory
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()

    def start(self):
        self.process = begin([sys.executable, str(ROOT / "tools/fleet/stand_in.py"), self.directory, str(self.port)])
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return
            time.sleep(0.05)
        raise RuntimeError("the server that stands in did not start")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def tables(self):
        """Rows by table and natural key, how many came of each table, and what is wrong with them."""
        rows, came = stand_in.tables(self.directory)
        return rows, came, []


class Database:
    """A database of a ClickHouse server, which it shares with others: to kill one is to kill all."""

    def __init__(self, server, name, stallwatch):
        self.server, self.port, self.database = server, server.http, name
        subprocess.run([stallwatch, "fleet", "migrate", "--to", f"{server.url}/{name}"], check=True, stdout=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def start(self):
        self.server.start()

    def kill(self):
        self.server.kill()

    def tables(self):
        """The same as of the server that stands in, as `FINAL` has them."""
        rows, came, faults = {}, collections.Counter(), []
        for table, keys in stand_in.KEYS.items():
            name = f"{self.database}.{table}"
            came[table] = int(self.server.query(f"SELECT count() FROM {name}"))
            lines = self.server.query(f"SELECT * FROM {name} FINAL FORMAT JSONEachRow").splitlines()
            found = [json.loads(line) for line in lines]
            rows[table] = {tuple(row[key] for key in keys): row for row in found}
            if len(found) > len(rows[table]):
                faults.append(f"{len(found)} rows of {table} have {len(rows[table])} keys")
        return rows, came, faults
