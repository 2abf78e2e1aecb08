"""All techniques on the same stalls of 25 ms to 3 s."""

from .peers import TECHNIQUES, Matched, Truth, sightings
from .runs import MS, THRESHOLD, Recording, ms, percent, percentile
from .section import progress

# As their descriptions have them; the library that brings them in has the same.
USUAL = {"Stallwatch": THRESHOLD, "ping": 2_000 * MS, "semaphore per wake": 2_000 * MS, "wake to wait": 2_000 * MS,
         "activity to activity": 100 * MS, "frame tick": 250 * MS}
BUCKETS = [(25, 50), (50, 100), (100, 250), (250, 500), (500, 1_000), (1_000, 3_000)]


def measure(section, threshold):
    """At their usual thresholds, or all at one."""
    matched = {name: Matched(threshold or USUAL[name]) for name in TECHNIQUES}
    setting = f"all at {threshold // MS} ms" if threshold else "each at its usual threshold"
    each = 40 if section.long else 12
    for place, (low, high) in enumerate(BUCKETS):
        progress(f"stalls of {low} to {high} ms, {setting}")
        recording = Recording(
            section, f"lengths-{low}-{bool(threshold)}",
            ["--seed", 7 + place, "--stalls", each, "--threads", 0, "--nested", 0, "--modes", 0, "--how", "spin,usleep",
             "--min-stall", f"{low}ms", "--max-stall", f"{high}ms"], peers=threshold or 0)
        truth = Truth(recording.truth)
        for name, found in sightings(recording).items():
            matched[name].add(truth, found)
    recall(section, setting, matched)
    exactness(section, setting, matched)


def recall(section, setting, matched):
    rows = []
    for name, one in matched.items():
        cells = []
        for low, high in BUCKETS:
            hits, due = one.hits(lambda hold: low * MS <= hold.duration < high * MS)
            cells.append(f"{hits} of {due}" if due else "below its bound")
        rows.append([name, f"{one.bound // MS} ms", *cells])
    section.table(
        f"Recall by length, {setting}",
        ["technique", "threshold", *(f"{low}–{high} ms" for low, high in BUCKETS)], rows,
        "How many stalls a technique reports at all, of those in the bucket that last at least 2 ms longer than its "
        "threshold: it promises no shorter ones. The stalls compute or sleep, in timers, sources, blocks, the main "
        "queue and observers at any activity. All techniques watch the same runs, in one process.")


def exactness(section, setting, matched):
    rows = []
    for name, one in matched.items():
        errors = (one.duration_errors(), one.onset_errors(), one.latencies())
        wrong = len(one.short) + len(one.false)
        rows.append([name, f"{len(one.pairs)}", f"{len(one.short)}", f"{len(one.false)}",
                     percent(len(one.pairs), len(one.pairs) + wrong),
                     *(ms(percentile(values, share)) for values in errors for share in (0.5, 0.99))])
    section.table(
        f"Exactness, {setting}",
        ["technique", "right", "too short", "false", "precision", "duration error p50", "p99", "onset error p50", "p99",
         "reported after the threshold p50", "p99"], rows,
        "Too short: a hold below the threshold that is reported all the same. False: a report that overlaps no hold. "
        "Neither includes what the machine's own lateness explains. The last columns count from the moment at which the "
        "stall had lasted as long as the technique's threshold; below 0 is before that moment. A technique that reports "
        "no end has no duration. tools/bench/Sources/Techniques says what the techniques are and who uses them.")
