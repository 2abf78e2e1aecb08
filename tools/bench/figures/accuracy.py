"""How right Stallwatch is, and others' techniques on the same runs."""

import os
import signal
import subprocess
import time

from . import eventloop, peers
from .runs import MS, PEERS, THRESHOLD, Recording, compare, ms, percent, percentile
from .section import Section, progress

USUAL = {"ping": 2_000 * MS, "semaphore per wake": 2_000 * MS, "wake to wait": 100 * MS, "frame tick": 250 * MS,
         "Stallwatch": THRESHOLD}
BUCKETS = [(25, 50), (50, 100), (100, 250), (250, 500), (500, 1_000), (1_000, 3_000)]
TECHNIQUES = ["Stallwatch", *PEERS]


def many(section):
    """A thousand stalls, or ten thousand."""
    seeds, each = (10, 1_000) if section.long else (4, 250)
    runs = []
    for seed in range(101, 101 + seeds):
        progress(f"{each} stalls, seed {seed}")
        workload = ["--seed", seed, "--stalls", each, "--threads", 0, "--nested", 0.1,
                    "--min-stall", "52ms", "--max-stall", "90ms" if section.long else "200ms"]
        runs.append(Recording(section, f"many-{seed}", workload).judged())
    verdict = compare.Verdict(runs, THRESHOLD, seeds * each)
    reported = verdict.reported - verdict.machine
    rows = [["true stalls, all of 52 ms or more", f"{verdict.expected}"],
            ["recall", percent(verdict.hits, verdict.expected)],
            ["precision", percent(verdict.right, reported)],
            *[[what, ", ".join(f"{name} {ms(percentile(values, share))}"
                               for name, share in (("p50", 0.5), ("p99", 0.99), ("max", 1)))]
              for what, values in (("duration error", verdict.errors), ("onset error", verdict.onsets),
                                   ("detection latency", verdict.latencies))],
            ["reports that the machine's own lateness explains", f"{verdict.machine}"]]
    section.table("Many stalls", ["what", "measured"], rows,
                  f"{seeds} seeds of {each} stalls on the main loop, with near-misses, private modes and nested runs, judged "
                  "by the workload's own truth on mode and depth too. Near-misses of 70 to 92 % of the threshold are in "
                  "the same runs.")
    section.budget(f"recall, {verdict.expected} stalls", "100 % beyond 50 ± 2 ms", rows[1][1],
                   verdict.hits == verdict.expected and verdict.expected >= seeds * each)
    section.budget("precision", "100 % beyond 50 ± 2 ms", rows[2][1], verdict.right == reported)
    error, latency = percentile(verdict.errors, 0.99), percentile(verdict.latencies, 0.99)
    section.budget("duration error", "p99 ≤ 0.2 ms", f"p99 {ms(error)}", error <= 0.2 * MS)
    section.budget("threshold passed → stall known", "p99 ≤ 1 ms on an idle machine", f"p99 {ms(latency)}", latency <= MS)


def sightings(recording):
    found = peers.read(recording.peers) if os.path.exists(recording.peers) else {}
    return {"Stallwatch": peers.ours(recording.stalls), **{name: found.get(name, []) for name in PEERS}}


def lengths(section, threshold):
    """All techniques on the same stalls of 25 ms to 3 s: at their usual thresholds, or all at ours."""
    bounds = {name: threshold or usual for name, usual in USUAL.items()}
    each = 40 if section.long else 10
    truth, told = [], {name: [] for name in TECHNIQUES}
    for place, (low, high) in enumerate(BUCKETS):
        progress(f"stalls of {low} to {high} ms, {'all at 50 ms' if threshold else 'usual thresholds'}")
        workload = ["--seed", 7 + place, "--stalls", each, "--threads", 0, "--nested", 0, "--modes", 0, "--how", "spin,usleep",
                    "--min-stall", f"{low}ms", "--max-stall", f"{high}ms"]
        recording = Recording(section, f"lengths-{low}-{bool(threshold)}", workload, peers=threshold or 0)
        truth += peers.holds(recording.truth)
        for name, found in sightings(recording).items():
            told[name] += found
    rows, exact = [], []
    for name in TECHNIQUES:
        matched = peers.Matched(truth, told[name], bounds[name])
        found = {hold for hold, _ in matched.pairs}
        cells = []
        for low, high in BUCKETS:
            due = [hold for hold in truth if low * MS <= hold.duration < high * MS
                   and hold.duration >= bounds[name] + 2 * MS]
            cells.append(f"{sum(hold in found for hold in due)} of {len(due)}" if due else "below its bound")
        rows.append([name, f"{bounds[name] // MS} ms", *cells])
        total = len(matched.pairs) + len(matched.false)
        exact.append([name, f"{len(matched.false)}", percent(len(matched.pairs), total),
                      ms(percentile(matched.durations(), 0.5)), ms(percentile(matched.durations(), 0.99)),
                      ms(percentile(matched.onsets(), 0.99)), ms(percentile(matched.latencies(bounds[name]), 0.99))])
    setting = "all set to 50 ms" if threshold else "each at its usual threshold"
    section.table(f"Recall by length, {setting}", ["technique", "threshold", *(f"{low}–{high} ms" for low, high in BUCKETS)],
                  rows, "Stalls told at all, of those that last 2 ms longer than the technique's threshold. All techniques watch "
                  "the same runs, in one process.")
    section.table(f"Exactness, {setting}",
                  ["technique", "false", "precision", "duration error p50", "p99", "onset error p99", "told late p99"], exact,
                  "False is what overlaps no stall of the technique's threshold. Told late counts from the moment at which "
                  "the stall had lasted as long as the threshold.")


def hard(section):
    """Where others go wrong: what each tells of situations that hold no stall, or one that is hard to see."""
    count = 40 if section.long else 12
    base = ["--threads", 0, "--how", "spin,usleep", "--min-stall", "60ms", "--max-stall", "300ms"]
    rows = []

    def add(what, recording, due=None):
        truth = [hold for hold in peers.holds(recording.truth) if due is None or due(hold)]
        cells = []
        for name, found in sightings(recording).items():
            matched = peers.Matched(truth, found, THRESHOLD)
            expected = [hold for hold in truth if hold.duration >= THRESHOLD + 2 * MS]
            hits = sum(hold in {one for one, _ in matched.pairs} for hold in expected)
            everything = peers.Matched(peers.holds(recording.truth), found, THRESHOLD)
            cells.append(f"{hits} of {len(expected)}, {len(everything.false)} false")
        rows.append([what, *cells])

    progress("nested runs, private modes, bursts")
    nested = Recording(section, "nested", ["--seed", 21, "--stalls", count, "--nested", 1, "--modes", 0, *base], peers=THRESHOLD)
    add("inside nested runs that turn", nested, lambda hold: hold.line["depth"] > 1)
    private = Recording(section, "private", ["--seed", 22, "--stalls", 2 * count, "--nested", 0, "--modes", 3, *base],
                        peers=THRESHOLD)
    add("in private modes", private, lambda hold: hold.line["mode"].startswith("WorkloadPrivate"))
    bursts = Recording(section, "bursts", ["--seed", 23, "--stalls", 0, "--threads", 0, "--nested", 0, "--modes", 0,
                                           "--timers", 200, "--for", "5s"], peers=THRESHOLD)
    add("200 busy timers, no stall", bursts)
    progress("suspension")
    add("stopped for 1.5 s, twice (SIGSTOP)", suspended(section, base, count))
    progress("a starved machine")
    add("beside 4 busy processes", starved(section, base, count))
    section.table("Where it is hard, all set to 50 ms", ["situation", *TECHNIQUES], rows,
                  "True stalls found, of those that last 52 ms or more, and what is told beside them. A process that is stopped, "
                  "a nested run that turns, and a loop that is busy with short callouts are no stalls. On the starved machine a stall "
                  "that the machine makes is in no technique's truth: there false is what nobody's callout did.")


def suspended(section, base, count):
    script = (f"'{section.built}/stallwatch-workload' --seed 24 --stalls {count} --nested 0 --modes 0 "
              f"{' '.join(map(str, base))} --truth '{section.directory}/suspended.jsonl' & "
              "p=$!; for i in 1 2; do sleep 0.7; kill -STOP $p; sleep 1.5; kill -CONT $p; done; wait $p")
    return Recording(section, "suspended", [], peers=THRESHOLD, program=["/bin/sh", "-c", script])


def starved(section, base, count):
    spinners = [subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"]) for _ in range(4)]
    try:
        time.sleep(0.2)
        return Recording(section, "starved", ["--seed", 25, "--stalls", count, "--nested", 0, "--modes", 0, *base],
                         peers=THRESHOLD)
    finally:
        for spinner in spinners:
            spinner.send_signal(signal.SIGKILL)
            spinner.wait()


def main():
    section = Section.from_arguments("Accuracy")
    many(section)
    lengths(section, None)
    lengths(section, THRESHOLD)
    hard(section)
    eventloop.compare_with_node(section)
    section.print()


if __name__ == "__main__":
    main()
