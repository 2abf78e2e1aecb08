"""How cost grows: with loops, modes, iterations, stalls, sessions, and the length of a session."""

import json
import os
import pathlib
import sqlite3
import statistics

from .loops import added, rounds, turn
from .processes import best, remove
from .section import Section, progress, run


def loops_and_modes(section):
    rows = []
    for what, numbers in (("threads", (1, 10, 100)), ("modes", (1, 16, 64))):
        for number in numbers:
            progress(f"{number} {what}")
            iterations = 200_000 if what == "modes" else max(200_000 // number, 4_000)
            found = rounds(section, 3, ["none", "stallwatch"], "blocking", iterations=iterations, **{what: number})
            rows.append([f"{number} {'loops' if what == 'threads' else 'modes'}",
                         f"{added(found, 'stallwatch', 'ns'):.0f}", f"{added(found, 'stallwatch', 'process_ns'):.0f}"])
    section.table("Loops and modes", ["", "on the loop's thread, ns", "whole process, ns"], rows,
                  "What watching adds to one blocking iteration. All loops turn at the same time, on threads of their "
                  "own; the whole process includes the monitor's threads.")


def iterations(section):
    progress("iterations a second")
    fast = turn(section, "stallwatch", "source0", iterations=2_000_000)
    bare = turn(section, "none", "source0", iterations=2_000_000)
    section.table("Iterations a second", ["what", "measured"], [
        ["iterations a second, unwatched", f"{1e9 / bare['elapsed_ns']:,.0f}"],
        ["iterations a second, watched", f"{1e9 / fast['elapsed_ns']:,.0f}"]],
        "One loop that turns as fast as it can.")


def length(section):
    """A second at the beginning of a session against one later in it."""
    parts = 60 if section.long else 10
    sample = turn(section, "stallwatch", "blocking", iterations=200_000)
    iterations = int(parts * 1e9 / sample["elapsed_ns"])
    found = {"stallwatch": [], "none": []}
    for place in range(3):
        for monitor in found:
            progress(f"{parts} seconds without a rest, {monitor}, round {place + 1} of 3")
            found[monitor].append(turn(section, monitor, "blocking", iterations=iterations, parts=parts)["parts_ns"])
    rows = []
    for monitor, name in (("stallwatch", "watched"), ("none", "unwatched")):
        first, last = (statistics.median(run[place] for run in found[monitor]) for place in (0, -1))
        rows.append([name, f"{first:.0f}", f"{last:.0f}",
                     f"{statistics.median(run[-1] / run[0] for run in found[monitor]):.2f} ×"])
    ratio = statistics.median(run[-1] / run[0] for run in found["stallwatch"])
    section.table("Length of a session", ["", "the first second, ns", f"second {parts}, ns", "growth"], rows,
                  "The CPU time of the loop's thread per iteration, for one loop that turns as fast as it can, in one "
                  "session; medians of three. Nothing on the watched thread depends on how long a session is; the "
                  "growth of the unwatched loop is the machine's.")
    section.budget("cost per iteration independent of session length", "within 10 %",
                   f"{ratio:.2f} × in second {parts} what it is in the first", ratio <= 1.1)


def stalls(section):
    progress("hundreds of stalls a second")
    schedule = f"{section.directory}/fast.json"
    count = 3_000
    pathlib.Path(schedule).write_text(json.dumps([{"afterMs": 0.1, "holdMs": 1.15}] * count), encoding="utf-8")
    store = f"{section.directory}/fast.stallwatch"
    remove(store)
    run(f"{section.built}/stallwatch", "record", "-o", store, "--threshold", "1ms", "--drift-interval", "off", "--",
        f"{section.bench}/scheduled-loop", schedule)
    report = json.loads(run(f"{section.built}/stallwatch", "report", store, "--format", "json"))
    health, session, reported = report["health"], report["sessions"][0], report["stalls"]["count"]
    seconds = session["duration_ns"] / 1e9
    section.table("Stalls a second", ["what", "measured"], [
        ["stalls a second", f"{count / seconds:.0f}"],
        ["held 1.15 ms, threshold 1 ms: held and reported", f"{count} and {reported}"],
        ["monitor's CPU a stall", f"{health['monitor_cpu_ns'] / max(reported, 1) / 1000:.0f} µs"],
        ["monitor's CPU", f"{100 * health['monitor_cpu_ns'] / session['duration_ns']:.1f} % of one processor"],
        ["losses", json.dumps(health["losses"])],
        ["bytes a stall", f"{os.path.getsize(store) / max(reported, 1):.0f}"]],
        "Each stall has a look at its stack. The reported number may exceed the held one: on a busy machine other "
        "callouts take a millisecond too.")


def sessions(section):
    progress("10,000 sessions")
    store = f"{section.directory}/sessions.stallwatch"
    remove(store)
    run(f"{section.bench}/store-cost", "write", store, 10, 1)
    with sqlite3.connect(store) as database:
        for number in range(2, 10_001):
            for table, key, parents in (("sessions", "id", {}), ("loops", "id", {"session": number}),
                                        ("modes", "id", {"loop": number})):
                columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
                chosen = [str(number) if column == key else str(parents.get(column, column)) for column in columns]
                database.execute(f"INSERT INTO {table} SELECT {', '.join(chosen)} FROM {table} WHERE {key} = 1")
            columns = [row[1] for row in database.execute("PRAGMA table_info(stalls)")]
            parents = {"id": f"id + {number * 10}", "session": number, "loop": number, "mode": number}
            chosen = [str(parents.get(column, column)) for column in columns]
            database.execute(f"INSERT INTO stalls SELECT {', '.join(chosen)} FROM stalls WHERE session = 1")
    rows = []
    for verb in (["report", store], ["report", store, "--format", "json"], ["stalls", store]):
        took, memory = best(1, f"{section.built}/stallwatch", *verb)
        rows.append([" ".join(["stallwatch", verb[0], "STORE", *verb[2:]]), f"{took:.2f} s", f"{memory:.0f} MB"])
    section.table("10,000 sessions", ["command", "time", "memory"], rows, "Each session has ten stalls and one loop.")


def main():
    section = Section.from_arguments("Scale")
    loops_and_modes(section)
    iterations(section)
    length(section)
    stalls(section)
    sessions(section)
    section.print()


if __name__ == "__main__":
    main()
