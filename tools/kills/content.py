"""What is in a store: all of it, or what stays the same when windows grow coarser."""

import contextlib
import sqlite3

# Of a store's tables, the column that tells whether a row belongs to a session that was there before, and to what.
OWNERS = {"sessions": ("id", "sessions"), "modes": ("loop", "loops"), "samples": ("stall", "stalls"),
          "profile_stacks": ("loop", "loops"), "timer_drops": ("timer", "timers"), "stall_timers": ("stall", "stalls")}

# These belong to no session, and no writer changes them.
NAMES = {"named_images", "texts", "names", "stack_functions"}

# Of the tables whose windows grow coarser: what tells apart windows that add up, and the figures that add up.
SUMS = {
    "time_windows": ("session, mode", "sum(entries), sum(iterations), sum(starved_ns), sum(busy_ns), sum(waiting_ns), "
                     "sum(outside_ns), max(longest_ns)"),
    "metric_windows": ("session, mode, metric", "sum(count), sum(total_ns), max(max_ns)"),
    "tick_windows": ("session, loop", "sum(ticks), min(first_number), min(first_due_ns), max(last_number), "
                     "max(last_due_ns), sum(run_loop_count), sum(run_loop_total_ns), max(run_loop_max_ns), "
                     "sum(gcd_count), sum(gcd_total_ns), max(gcd_max_ns), sum(drift_count), sum(drift_total_ns), "
                     "max(drift_max_ns), sum(in_other_modes_ns), sum(late), sum(late_ns), sum(machine_ns), "
                     "sum(gcd_late_ns), sum(left_out), sum(left_out_ns)"),
    "timer_windows": ("session, timer", "sum(fired), sum(dropped), sum(lateness_count), sum(lateness_total_ns), "
                      "max(lateness_max_ns)"),
}


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
    found = {table: content for table, content in rows(path, bounds).items() if table not in {*SUMS, "removals"}}
    return found | window_sums(path, bounds["sessions"])


def window_sums(path, last=2**63 - 1):
    """Sums and maxima of all windows up to a session, by what they are of."""
    with contextlib.closing(sqlite3.connect(path)) as store:
        return {f"sums over {table}": store.execute(
                    f"SELECT {keys}, {figures} FROM {table} WHERE session <= {last} GROUP BY {keys}").fetchall()
                for table, (keys, figures) in SUMS.items()}


def query(path, sql):
    """The first row."""
    with contextlib.closing(sqlite3.connect(path)) as store:
        return store.execute(sql).fetchone()
