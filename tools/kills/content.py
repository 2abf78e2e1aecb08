"""What is in a store: all of it, or what stays the same when windows grow coarser."""

import contextlib
import sqlite3

# Of a store's tables, the column that tells whether a row belongs to a session that was there before, and to what.
OWNERS = {"sessions": ("id", "sessions"), "modes": ("loop", "loops"), "samples": ("stall", "stalls"),
          "profile_stacks": ("loop", "loops"), "timer_drops": ("timer", "timers"), "stall_timers": ("stall", "stalls")}

# These belong to no session, and no writer changes them.
NAMES = {"named_images", "texts", "names", "stack_functions"}


def bounds(path):
    """The last rows of what was there before a writer added a session of its own."""
    return {table: query(path, f"SELECT ifnull(max(id), 0) FROM {table}")[0]
            for table in ("sessions", "loops", "stalls", "timers")}


def rows(path, bounds):
    """All rows, by table."""
    found = {}
    with contextlib.closing(sqlite3.connect(path)) as store:
        tables = store.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        for (table,) in tables.fetchall():
            column, owner = OWNERS.get(table, ("session", "sessions"))
            chosen = "1" if table in NAMES else f"ifnull({column}, 0) <= {bounds[owner]}"
            found[table] = sorted(store.execute(f"SELECT * FROM {table} WHERE {chosen}"), key=repr)
    return found


def sums(path, bounds):
    """What stays the same when windows grow coarser, by session; and all rows that do not take part in that."""
    found = {table: content for table, content in rows(path, bounds).items()
             if table not in ("time_windows", "metric_windows", "removals")}
    last = bounds["sessions"]
    with contextlib.closing(sqlite3.connect(path)) as store:
        found["sums over windows"] = store.execute(
            "SELECT session, mode, sum(entries), sum(iterations), sum(starved_ns), sum(busy_ns), sum(waiting_ns), "
            f"sum(outside_ns), max(longest_ns) FROM time_windows WHERE session <= {last} GROUP BY session, mode"
        ).fetchall()
        found["sums over histograms"] = store.execute(
            "SELECT session, mode, metric, sum(count), sum(total_ns), max(max_ns) FROM metric_windows "
            f"WHERE session <= {last} GROUP BY session, mode, metric").fetchall()
    return found


def query(path, sql):
    """The first row."""
    with contextlib.closing(sqlite3.connect(path)) as store:
        return store.execute(sql).fetchone()
