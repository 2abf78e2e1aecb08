"""Where it is hard to be right: situations without a stall that look like one, and stalls that are hard to see."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import time

from .peers import TECHNIQUES, Matched, Sighting, Truth, ours, sightings
from .runs import MS, THRESHOLD, Recording
from .section import progress

STALLS = ["--threads", 0, "--how", "spin,usleep", "--min-stall", "60ms", "--max-stall", "300ms"]
# Holds of less than a third of the threshold, near-misses of 14 to 18 ms among them.
HEALTHY = ["--threads", 0, "--how", "spin,usleep", "--min-stall", "5ms", "--max-stall", "15ms", "--threshold", "20ms"]


def measure(section):
    count = 40 if section.long else 12
    rows = [*healthy(section, count), *held(section, count)]
    section.table(
        "Where it is hard, all at 50 ms", ["situation", *TECHNIQUES], rows,
        "False: reported, but not a stall. The first rows contain no stall: a nested run that turns, a loop that runs "
        "in a private mode, a loop that is busy with short callouts and serves timers and sources between them, a "
        "program that is stopped. Stallwatch reports the bursts as congestion. The other rows count how many true "
        "stalls of 52 ms or more were found. On the starved machine, what the machine's own lateness explains does not "
        "count as false.")


def healthy(section, count):
    """False alarms alone."""
    progress("nested runs, private modes and bursts without a stall")
    nested = Recording(section, "nested", ["--seed", 21, "--stalls", 3 * count, "--nested", 1, "--modes", 0, *HEALTHY],
                       peers=THRESHOLD)
    yield false_alarms("healthy nested runs", nested, Truth(nested.truth))
    private = Recording(section, "private", ["--seed", 22, "--stalls", 6 * count, "--nested", 0, "--modes", 3,
                                             "--idle", "60ms", *HEALTHY], peers=THRESHOLD)
    yield false_alarms("a healthy loop, also in private modes", private, Truth(private.truth))
    yield bursts(section, count)
    yield stopped(section)


def bursts(section, count):
    schedule = pathlib.Path(section.directory, "bursts.json")
    schedule.write_text(json.dumps([{"afterMs": 100, "holdMs": 10, "times": 40}] * count), encoding="utf-8")
    recording = Recording(section, "bursts", peers=THRESHOLD, program=[f"{section.bench}/scheduled-loop", schedule])
    row = false_alarms(f"{count} bursts of 40 callouts of 10 ms", recording, Truth(recording.truth))
    row[1] += f", {len(ours(recording, 'congestion'))} reported as congestion"
    return row


def stopped(section):
    """SIGSTOP and, 1.5 s later, SIGCONT, four times."""
    progress("a program that is stopped")
    stops = []

    def stop(process):
        for _ in range(4):
            time.sleep(0.6)
            began = time.monotonic_ns()
            os.kill(process, signal.SIGSTOP)
            time.sleep(1.5)
            os.kill(process, signal.SIGCONT)
            stops.append(Sighting(began, time.monotonic_ns(), began))

    recording = Recording(section, "stopped", ["--seed", 24, "--stalls", 120, "--nested", 0, "--modes", 0, *HEALTHY],
                          peers=THRESHOLD, during=stop)
    truth = Truth(recording.truth)
    # The workload's own clock went on: a hold that was stopped says so, and so does the machine's lateness.
    truth.preempted = []
    for hold in truth.holds:
        hold.end -= sum(hold.overlap(stop) for stop in stops)
    return false_alarms(f"stopped for 1.5 s, {len(stops)} times (SIGSTOP)", recording, truth)


def held(section, count):
    """Stalls, and what else is reported."""
    progress("stalls in nested runs, in private modes and on a starved machine")
    nested = Recording(section, "held-nested", ["--seed", 25, "--stalls", count, "--nested", 1, "--modes", 0, *STALLS],
                       peers=THRESHOLD)
    yield found("stalls in nested runs", nested, lambda hold: hold.line["depth"] > 1)
    private = Recording(section, "held-private", ["--seed", 26, "--stalls", 3 * count, "--nested", 0, "--modes", 3,
                                                  *STALLS], peers=THRESHOLD)
    yield found("stalls in private modes", private, lambda hold: hold.line["mode"].startswith("WorkloadPrivate"))
    with busy_processes(4):
        starved = Recording(section, "starved", ["--seed", 27, "--stalls", 2 * count, "--nested", 0, "--modes", 0,
                                                 *STALLS], peers=THRESHOLD)
    yield found("beside 4 busy processes", starved)


@contextlib.contextmanager
def busy_processes(count):
    processes = [subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"]) for _ in range(count)]
    try:
        time.sleep(0.2)
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def false_alarms(situation, recording, truth):
    row = [situation]
    for of_one in sightings(recording).values():
        matched = Matched(THRESHOLD)
        matched.add(truth, of_one)
        reported = len(matched.short) + len(matched.false)
        row.append(f"{reported} false")
    return row


def found(situation, recording, among=None):
    truth = Truth(recording.truth)
    row = [situation]
    for of_one in sightings(recording).values():
        matched = Matched(THRESHOLD)
        matched.add(truth, of_one)
        hits, due = matched.hits(among)
        row.append(f"{hits} of {due}, {len(matched.short) + len(matched.false)} false")
    return row
