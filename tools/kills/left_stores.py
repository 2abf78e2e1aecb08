"""Stores as programs leave them that were killed, or that an older version wrote."""

import contextlib
import os
import pathlib
import shutil
import sqlite3
import subprocess
import time

from .content import NAMES

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "Tests/StallwatchStoreTests/Fixtures"
LATEST = max(int(fixture.stem[1:]) for fixture in FIXTURES.glob("v*.db"))  # The version that is written today.
PATIENCE = 60  # Seconds until something that should come has not.
COPIES = 300  # Of a fixture's session: enough rows that a migration needs hundreds of writes.
DEAD_COPIES = 10  # Of these are sessions whose process died in a stall.


class NotLeft(Exception):
    """A program left no store, and why."""


def dead_programs(products, folder, chance, count):
    """Makes up to `count` stores, and 6 at most, of programs that were killed, alone and two at once: names and paths."""
    for number in range(min(count, 6)):
        together = 1 + number % 2
        store = place(folder, f"model-{number}")
        programs = []
        for each in range(together):
            command = [os.path.join(products, "soak-maker"), store, "600", str(chance.randrange(10**6)), "64000000"]
            programs.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))
            await_region(programs[-1], f"{store}-live-{each + 1}")
        time.sleep(chance.uniform(1, 6))
        for program in programs:
            program.kill()
        for program in programs:
            program.wait()
        yield f"{'two programs' if together == 2 else 'a program'} ({number})", store


def older_stores(folder, chance, count):
    """Makes up to `count` stores of older versions, with many more rows than the fixtures: left in order, and left in a
    log by processes that died. Names and paths."""
    kinds = [(version, died) for version in range(1, LATEST) for died in (False, True)]
    for version, died in sorted(chance.sample(kinds, min(count, len(kinds)))):
        store = place(folder, f"v{version}-{died}")
        grow(str(FIXTURES / f"v{version}.db"), store, died)
        yield f"version {version}{', died' if died else ''}", store


def place(folder, name):
    """A store's path, in a folder of its own."""
    os.mkdir(os.path.join(folder, name))
    return os.path.join(folder, name, "model")


def await_region(program, path):
    deadline = time.monotonic() + PATIENCE
    while not os.path.exists(path):
        if program.poll() is not None or time.monotonic() > deadline:
            raise NotLeft(f"no live region: the program ended with {program.returncode}")
        time.sleep(0.01)


def grow(fixture, store, died):
    """A copy of a fixture with its session many times; the last of them open and in the log, if it died."""
    grown = store + ".grown"
    shutil.copyfile(fixture, grown)
    with contextlib.closing(sqlite3.connect(grown)) as connection:
        with connection:
            multiply(connection, COPIES)
        if died:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA wal_autocheckpoint = 0")
            last = f"(SELECT max(id) - {DEAD_COPIES} FROM sessions)"
            with connection:
                connection.execute(
                    f"UPDATE stalls SET state = 'began', duration_ns = NULL, severity = NULL WHERE session > {last}")
                connection.execute(f"UPDATE sessions SET ended = 'running', exit_status = NULL WHERE id > {last}")
            # As a dead process leaves it: the log is not in the store.
            shutil.copyfile(grown + "-wal", store + "-wal")
        shutil.copyfile(grown, store)
    for path in pathlib.Path(store).parent.glob("model.grown*"):
        path.unlink()


def multiply(connection, copies):
    """Adds copies of all rows of sessions. Rows' numbers, and what refers to them, move on by as much as there were."""
    tables = [name for (name,) in connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'") if name not in NAMES]
    width = {}
    for table in tables:
        if any(row[1] == "id" for row in connection.execute(f"PRAGMA table_info({table})")):
            width[table] = connection.execute(f"SELECT ifnull(max(id), 0) FROM {table}").fetchone()[0]
    for table in tables:
        refers = {row[3]: row[2] for row in connection.execute(f"PRAGMA foreign_key_list({table})")}
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        # A window names its session's number first; all else of it is its own.
        moved = [f"{name} + {width[refers.get(name, table)]} * copy" if name in refers or name == "id" else name
                 for name in columns]
        connection.execute(
            f"WITH RECURSIVE copies (copy) AS (SELECT 1 UNION ALL SELECT copy + 1 FROM copies WHERE copy < {copies}) "
            f"INSERT INTO {table} SELECT {', '.join(moved)} FROM {table} AS source JOIN copies")
