"""What watching costs: an activity, an iteration, an idle program, memory and disk."""

import statistics
import sys

from .loops import added, ratio, rounds, turn
from .section import Section, progress

OURS = ["recording", "samples", "drift", "profile", "stallwatch"]
NAMES = {"empty": "C observers that do nothing", "clock": "C observers that read the clock",
         "recording": "Stallwatch: profile and stalls", "samples": "… and samples of stalls",
         "drift": "… and the drift probe",
         "profile": "… and a profile of 100 looks a second", "stallwatch": "Stallwatch with its defaults"}
PEERS = ["ping", "semaphore", "wake-to-wait", "activity-to-activity", "frame-tick"]
ALLOWED = 1.15


def activities(section):
    """An activity's cost, by the kind of iteration and by what is switched on."""
    count = 11 if section.long else 5
    rows, worst = [], 0
    for iteration in ("blocking", "source0", "polling"):
        progress(f"an activity of {iteration} iterations")
        found = rounds(section, count, ["none", "empty", "clock", *OURS], iteration, iterations=200_000)
        each = found["none"][0]["activities"]
        for monitor, name in NAMES.items():
            instructions = "unknown"
            if "instructions" in found["none"][0]:
                instructions = f"{added(found, monitor, 'instructions') / each:.0f}"
            rows.append([iteration, name, f"{added(found, monitor, 'ns') / each:.1f}", instructions,
                         f"{ratio(found, monitor, 'clock'):.2f}"])
        worst = max(worst, ratio(found, "stallwatch", "clock"))
    section.table("An activity", ["iteration", "watched by", "ns", "instructions", "of a clock read"], rows,
                  "The thread CPU time, and the instructions outside the kernel, that watching adds to one activity of "
                  f"one loop with one mode; medians of {count} rounds. The last column is the cost divided by that of C "
                  "observers at the same places that only read the clock.")
    section.budget("full recording, per activity", f"≤ {ALLOWED} × C observers that read the clock",
                   f"{worst:.2f} (the worst of three kinds of iteration)", worst <= ALLOWED)


def shapes(section):
    """The same on loops with more modes, and on more threads."""
    progress("more modes and more threads")
    rows = []
    for options in ({"modes": 1}, {"modes": 4}, {"modes": 16}, {"threads": 2}, {"threads": 4}, {"threads": 8}):
        found = rounds(section, 5, ["none", "clock", "stallwatch"], "blocking", iterations=80_000, **options)
        (what, number), = options.items()
        rows.append([f"{number} {what}", f"{added(found, 'clock', 'ns') / 4:.1f}",
                     f"{added(found, 'stallwatch', 'ns') / 4:.1f}", f"{ratio(found, 'stallwatch', 'clock'):.2f}"])
    section.table("Modes and threads", ["", "clock observers, ns", "Stallwatch, ns", "ratio"], rows,
                  "The cost per activity in blocking iterations. Every thread turns a loop of its own, all at the same "
                  "time. With more threads than processors, the table compares the threads' own CPU time.")


def techniques(section):
    """An iteration under each technique, and the idle program."""
    progress("others' techniques, an iteration")
    found = rounds(section, 5, ["none", *PEERS, "stallwatch"], "blocking", iterations=250_000)
    costs = {monitor: added(found, monitor, "process_ns") for monitor in [*PEERS, "stallwatch"]}
    rows = []
    for monitor in [*PEERS, "stallwatch", "recording"]:
        progress(f"an idle program under {monitor}")
        idle = turn(section, monitor, "idle", seconds=10 if section.long else 5)
        bare = f"{costs[monitor]:.0f}" if monitor in costs else "as above"
        name = {"stallwatch": "Stallwatch", "recording": "Stallwatch, no drift probe"}.get(monitor, monitor)
        rows.append([name, bare, f"{idle['wakeups_per_s']:.1f}", f"{100 * idle['cpu_share']:.3f} %",
                     f"{idle['resident_added_kib']}"])
        if monitor == "recording":
            section.budget("an idle program, drift probe off", "0 wake-ups", f"{idle['wakeups_per_s']:.1f} a second",
                           idle["wakeups_per_s"] == 0)
    section.table("Beside others' techniques",
                  ["technique", "CPU an iteration, ns", "idle wake-ups a second", "idle CPU", "memory added, KiB"], rows,
                  "The first column of figures is the CPU time of the whole process that watching adds to one blocking "
                  "iteration of the main loop. The others are from a program in which nothing happens. Each technique "
                  "runs at its usual setting. Only the drift probe wakes an idle program: it asks how late the loop and "
                  "the machine are, in these first seconds often, and once a minute in the end.")
    share = ratio(found, "stallwatch", "semaphore", "process_ns")
    section.budget("full recording, per iteration", "≤ 0.1 × a semaphore made and awaited at every wake", f"{share:.3f}",
                   share <= 0.1)


def beginnings(section):
    """Start, attaching, memory and disk."""
    progress("start, memory and disk")
    starts = [turn(section, "stallwatch", "start") for _ in range(5)]
    rows = [["start of a monitor with a new store", f"{statistics.median(s['start_ns'] for s in starts) / 1e6:.1f} ms"],
            ["attaching to a loop of one mode", f"{statistics.median(s['attach_ns'] for s in starts) / 1e3:.0f} µs"]]
    memory = {}
    for kind in ("idle", "uneven"):
        for threads in (1, 100):
            bare = turn(section, "none", kind, seconds=3, threads=threads)["resident_kib"]
            ours = turn(section, "stallwatch", kind, seconds=3, threads=threads)["resident_kib"]
            memory[kind, threads] = ours - bare
            rows.append([f"memory of its own with {threads} {kind} {'loop' if threads == 1 else 'loops'}",
                         f"{(ours - bare) / 1024:.1f} MiB"])
    each = (memory["uneven", 100] - memory["uneven", 1]) / 99
    section.budget("memory, a loop of one mode that turns", "≤ 40 KiB", f"{each:.0f} KiB", each <= 40)
    base = (memory["idle", 1] - (memory["idle", 100] - memory["idle", 1]) / 99) / 1024
    section.budget("memory, base", "≤ 0.5 MiB", f"{base:.2f} MiB", base <= 0.5)
    for iteration in ("idle", "busy"):
        written = turn(section, "stallwatch", iteration, seconds=10)["written_per_s"] * 3600
        rows.append([f"written in an hour, {iteration}", f"{written / 1e6:.1f} MB"])
    section.table("Beginning, memory, disk", ["what", "measured"], rows,
                  "With the defaults. A busy program has a callout of 2 ms every 20 ms. The hour is extrapolated from "
                  "ten seconds, and counts every byte that goes to the store's log and from there to its file.")


def main():
    section = Section.from_arguments("Cost")
    activities(section)
    shapes(section)
    techniques(section)
    beginnings(section)
    section.print()


if __name__ == "__main__":
    main()
