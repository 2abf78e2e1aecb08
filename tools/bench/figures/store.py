"""The store's writer beside SQLite alone, and reports beside a full scan."""

import json
import os
import shutil
import statistics

from .processes import best, remove
from .section import Section, progress, run


# So many that a round takes seconds.
STALLS = 20_000
# Of so many loops the stalls fit into 40 s, as they may in a burst. A single loop would take more than an hour, with as
# many closings as minutes, which the writer would have to catch up with in two seconds.
LOOPS = 100


def writer(section):
    """The same rows in as many transactions, each way in turn."""
    count = 9 if section.long else 5
    store, copy = f"{section.directory}/writer.stallwatch", f"{section.directory}/raw.db"
    program = f"{section.bench}/store-cost"
    found = {"writer": [], "rows": [], "statements": []}
    for place in range(count):
        progress(f"writer and raw inserts, round {place + 1} of {count}")
        remove(store)
        written = json.loads(run(program, "write", store, STALLS, 8, "--loops", LOOPS, "--timers", 1, "--ticks"))
        for how in ("rows", "statements"):
            remove(copy)
            copied = json.loads(run(program, "raw", store, copy, how, written["transactions"]))
            found[how].append(copied)
        # As many as were found in the store.
        found["writer"].append(written | {"rows": copied["rows"]})
    names = {"writer": "Stallwatch's writer", "rows": "raw prepared inserts of the final rows",
             "statements": "raw statements: stalls inserted, completed when they end"}
    rows = []
    for how, name in names.items():
        cpu = statistics.median(one["rows"] / one["cpu_ns"] * 1e9 for one in found[how])
        wall = statistics.median(one["rows"] / one["wall_ns"] * 1e9 for one in found[how])
        rows.append([name, f"{cpu / 1000:.0f} k", f"{wall / 1000:.0f} k"])
    def share(how, clock):
        """Of the rows a second of another way, in the median round."""
        return statistics.median(raw[clock] / ours[clock] for ours, raw in zip(found["writer"], found[how]))

    for row, how in zip(rows, found):
        row += ["", ""] if how == "writer" else [f"{share(how, 'cpu_ns'):.2f}", f"{share(how, 'wall_ns'):.2f}"]
    section.table("The writer", ["", "rows a second of CPU", "rows a second", "the writer's share of it, CPU",
                                 "the same, wall time"], rows,
                  f"{STALLS:,} stalls of {LOOPS} loops, each with 8 samples and a timer that it hurt, and the drift "
                  "probe's ticks. Each way writes the same rows in the same number of transactions, with the same "
                  f"schema, keys and settings; medians of {count} rounds. The writer's wall time includes the making of "
                  "the records. Here stalls begin and end in one batch, as in a burst, and are written once. A stall "
                  "that outlasts the gathering of a batch is inserted and later completed, as in the third row.")
    cpu, wall = share("rows", "cpu_ns"), share("rows", "wall_ns")
    section.budget("store writer", "≥ 0.9 × raw prepared inserts of the same rows",
                   f"{cpu:.2f} by CPU time ({wall:.2f} by wall time)", cpu >= 0.9)


SCANS = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"


def scan(store):
    """SQL that reads every column of every row once."""
    queries = []
    for table in run("sqlite3", store, SCANS).split():
        columns = run("sqlite3", store, f"SELECT name FROM pragma_table_info('{table}')").split()
        queries.append(f"SELECT count(*), {', '.join(f'sum(length({column}))' for column in columns)} FROM {table};")
    return " ".join(queries)


COMMANDS = [["report"], ["report", "--format", "json"], ["timers"], ["stalls"], ["stalls", "--format", "json"]]
TIMERS = 2
# Of a stall in a store with one sample and as many timers, with what SQLite needs beside it.
BYTES_A_STALL = 500
REPORT_BUDGET = "report on 1 M stalls", "≤ 2 × a full scan by the sqlite3 shell, ≤ 200 MB"


def reports(section):
    """Time and memory of what people ask of a store, as it grows."""
    sizes = [10_000, 100_000, 1_000_000] + ([7_500_000] if section.long else [])
    rows = []
    for stalls in sizes:
        progress(f"a store of {stalls:,} stalls")
        free = shutil.disk_usage(section.directory).free
        if free < stalls * BYTES_A_STALL:
            progress(f"left out: it needs {stalls * BYTES_A_STALL / 1e9:.1f} GB, and {free / 1e9:.1f} GB are free")
            if stalls == 1_000_000:
                section.budget(*REPORT_BUDGET, "not measured: the disk is too full", None)
            continue
        store = f"{section.directory}/many.stallwatch"
        remove(store)
        run(f"{section.bench}/store-cost", "write", store, stalls, 1, "--timers", TIMERS, "--ticks")
        # The slow ones are measured once where that takes long anyway.
        count = 2 if stalls <= 1_000_000 else 1
        scanned, _ = best(count, "sqlite3", store, scan(store))
        cells = [f"{stalls:,}", f"{os.path.getsize(store) / 1e6:.0f} MB", f"{scanned:.2f} s"]
        worst = (0, 0)
        for verb, *options in COMMANDS:
            took, memory = best(count if verb == "report" else 1, f"{section.built}/stallwatch", verb, store, *options)
            cells.append(f"{took:.2f} s, {memory:.0f} MB")
            if verb == "report":
                worst = max(worst[0], took), max(worst[1], memory)
        rows.append(cells)
        remove(store)
        if stalls == 1_000_000:
            section.budget(*REPORT_BUDGET, f"{worst[0] / scanned:.2f} × ({worst[0]:.2f} s), {worst[1]:.0f} MB",
                           worst[0] <= 2 * scanned and worst[1] <= 200)
    section.table("Reports", ["stalls", "store", "full scan", *(" ".join(words) for words in COMMANDS)], rows,
                  f"One sample per stall, {TIMERS} timers that every stall hurts, a tick of the drift probe each second, "
                  "one session. For the scan, the sqlite3 shell sums the length of every column of every row of every "
                  "table. The scan and the reports show the fastest of two runs, with the file in memory, and beside it "
                  "the peak memory. The budget takes the slower and the larger of the two reports.")


def main():
    section = Section.from_arguments("Store and reports")
    writer(section)
    reports(section)
    section.print()


if __name__ == "__main__":
    main()
