"""Recordings of the bundled workload for the tests of pages, and what is made of them."""

import os
import pathlib
import sqlite3
import subprocess
import tempfile
import shutil

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILT = pathlib.Path(os.environ.get("STALLWATCH_BUILT", ROOT / ".build" / "debug"))
ARTEFACTS = ROOT / "artefacts" / "pages"

# Texts that would act in a page, or break it, if they were taken for anything but text.
HOSTILE = [
    "</script><script>window.hacked = 1</script>",
    "\"'><img src=x onerror='window.hacked = 2'>",
    "\u202eevil\u2066 right to left",
    "<!-- --> ]]> &amp; ${window.hacked = 3} `",
    "\\u003cscript\\u003e \u2028 \x00 \x1b[31m",
    "symbol" * 1700,
]


def stallwatch(*words, **options):
    """Runs stallwatch and returns what it printed; what it says on stderr is shown where it fails."""
    done = subprocess.run([BUILT / "stallwatch", *map(str, words)], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"stallwatch {' '.join(map(str, words))}: {done.returncode}: {done.stderr}")
    return done.stdout


def record(directory, name="run.stallwatch", stalls=40, seconds=6, seed=3):
    """Records the workload with stalls of all kinds, timers, private modes and nested runs."""
    store = os.path.join(directory, name)
    subprocess.run(
        [BUILT / "stallwatch", "record", "--profile", "50", "-o", store, "--", BUILT / "stallwatch-workload", "--stalls",
         str(stalls), "--max-stall", "700ms", "--timers", "4", "--for", f"{seconds}s", "--seed", str(seed)],
        check=True, capture_output=True)
    return store


def copy(store, name):
    """A copy of a store, to be changed."""
    target = os.path.join(os.path.dirname(store), name)
    shutil.copyfile(store, target)
    return target


def make_hostile(store):
    """Puts a hostile text in the place of every name."""
    with sqlite3.connect(store) as connection:
        for table, column in [("loops", "name"), ("modes", "name"), ("timers", "name"), ("images", "path"),
                              ("sessions", "host"), ("samples", "target"), ("intervals", "reason")]:
            keys = [name for name, place in connection.execute(f"SELECT name, pk FROM pragma_table_info('{table}')") if place]
            rows = connection.execute(f"SELECT {', '.join(keys)} FROM {table}").fetchall()
            key = f"({', '.join(keys)})"
            for place, row in enumerate(rows):
                # A store's texts hold no NUL, and some of them no more than this.
                text = HOSTILE[place % len(HOSTILE)].replace("\x00", "")
                if table not in ("loops", "modes"):
                    text = text[:1000]
                connection.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ({', '.join('?' * len(row))})",
                                   (text, *row))
        connection.execute("UPDATE sessions SET command = json_array(?, ?)", (HOSTILE[0], HOSTILE[1]))
    connection.close()


def make_long(store, hours=24):
    """Spreads a session over so many hours: windows and stalls of the recording, again and again."""
    connection = sqlite3.connect(store)
    with connection:
        start, window, = connection.execute("SELECT started_ns, window_ns FROM sessions").fetchone()
        count = hours * 3_600_000_000_000 // window
        for table in ("time_windows", "metric_windows"):
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            rows = connection.execute(f"SELECT {', '.join(columns)} FROM {table} WHERE started_ns < ?", (start + window,)).fetchall()
            moment, marks = columns.index("started_ns"), ", ".join("?" * len(columns))
            for place in range(1, count):
                connection.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({marks})",
                                       [(*row[:moment], row[moment] + place * window, *row[moment + 1:]) for row in rows])
        columns = ("session, loop, mode, kind, state, severity, phase, depth, duration_ns, reason, running_ns, blocked_ns, "
                   "starved_ns")
        stalls = connection.execute(f"SELECT {columns}, started_ns - ?, detected_ns - started_ns, id FROM stalls",
                                    (start,)).fetchall()
        number = connection.execute("SELECT max(number) FROM stalls").fetchone()[0]
        for place in range(1, count, 2):
            for *values, offset, detected, old in stalls:
                number += 1
                began = start + place * window + offset
                added = connection.execute(
                    f"INSERT INTO stalls ({columns}, started_ns, detected_ns, number) VALUES ({', '.join('?' * 16)})",
                    (*values, began, began + detected, number)).lastrowid
                connection.execute(
                    "INSERT INTO samples (stall, number, at_ns, weight_ns, activity, stack, blocked_on, target) SELECT ?, "
                    "number, at_ns + ?, weight_ns, activity, stack, blocked_on, target FROM samples WHERE stall = ?",
                    (added, place * window, old))
        connection.execute("UPDATE sessions SET last_seen_ns = ?", (start + count * window,))
    connection.close()


class Folder:
    """A folder that is gone afterwards."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="stallwatch-pages-")

    def close(self):
        shutil.rmtree(self.path, ignore_errors=True)
