"""The store's writer beside SQLite alone, and reports beside a full scan."""

import json
import os
import statistics

from .processes import best, remove
from .section import Section, progress, run


def writer(section):
    """The same rows in as many transactions, each way in turn."""
    count = 7 if section.long else 3
    store, copy = f"{section.directory}/writer.stallwatch", f"{section.directory}/raw.db"
    program = f"{section.bench}/store-cost"
    found = {"writer": [], "rows": [], "statements": []}
    for place in range(count):
        progress(f"writer and raw inserts, round {place + 1} of {count}")
        remove(store)
        written = json.loads(run(program, "write", store, 40_000))
        found["writer"].append(written)
        for how in ("rows", "statements"):
            remove(copy)
            found[how].append(json.loads(run(program, "raw", store, copy, how, written["transactions"])))
    names = {"writer": "Stallwatch's writer", "rows": "raw prepared inserts of the final rows",
             "statements": "raw statements: stalls inserted, completed when they end"}
    rows = []
    for how, name in names.items():
        cpu = statistics.median(one["rows"] / one["cpu_ns"] * 1e9 for one in found[how])
        wall = statistics.median(one["rows"] / one["wall_ns"] * 1e9 for one in found[how])
        rows.append([name, f"{cpu / 1000:.0f} k", f"{wall / 1000:.0f} k"])
    share = statistics.median(
        (ours["rows"] / ours["cpu_ns"]) / (raw["rows"] / raw["cpu_ns"])
        for ours, raw in zip(found["writer"], found["rows"]))
    section.table("The writer", ["", "rows a second of CPU", "rows a second"], rows,
                  "40,000 stalls with 8 samples each, the same rows in as many transactions, with the same schema, keys and "
                  f"settings; medians of {count} rounds.")
    section.budget("store writer", "≥ 0.9 × raw prepared inserts of the same rows", f"{share:.2f}", share >= 0.9)


SCANS = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"


def scan(store):
    """SQL that reads every column of every row once."""
    queries = []
    for table in run("sqlite3", store, SCANS).split():
        columns = run("sqlite3", store, f"SELECT name FROM pragma_table_info('{table}')").split()
        queries.append(f"SELECT count(*), {', '.join(f'sum(length({column}))' for column in columns)} FROM {table};")
    return " ".join(queries)


def reports(section):
    """Time and memory of what people ask of a store, as it grows."""
    rows = []
    sizes = [10_000, 100_000, 1_000_000] + ([7_000_000] if section.long else [])
    for stalls in sizes:
        progress(f"a store of {stalls:,} stalls")
        store = f"{section.directory}/many.stallwatch"
        remove(store)
        run(f"{section.bench}/store-cost", "write", store, stalls, 1)
        size = os.path.getsize(store) / 1e6
        scanned, _ = best(2, "sqlite3", store, scan(store))
        cells = [f"{stalls:,}", f"{size:.0f} MB", f"{scanned:.2f} s"]
        for verb in (["report", store], ["report", store, "--format", "json"], ["stalls", store]):
            took, memory = best(2, f"{section.built}/stallwatch", *verb)
            cells.append(f"{took:.2f} s, {memory:.0f} MB")
            if stalls == 1_000_000 and verb == ["report", store]:
                section.budget("report on 1 M stalls", "≤ 5 × a full scan by the sqlite3 shell, ≤ 200 MB",
                               f"{took / scanned:.2f} × ({took:.2f} s), {memory:.0f} MB",
                               took <= 5 * scanned and memory <= 200)
        rows.append(cells)
        remove(store)
    section.table("Reports", ["stalls", "store", "full scan", "report", "report --format json", "stalls"], rows,
                  "One sample a stall, one session. The scan is the sqlite3 shell, summing the length of every column of every "
                  "row. The faster of two runs, with the file in memory; peak memory beside it.")


def main():
    section = Section.from_arguments("Store and reports")
    writer(section)
    reports(section)
    section.print()


if __name__ == "__main__":
    main()
