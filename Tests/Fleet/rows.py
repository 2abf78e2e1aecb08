"""A small fleet's rows, drawn by chance from a seed, and the sums that every question must give of them."""

import collections
import json
import random

HOUR = 3600
# A Monday, so that the hours below lie in two weeks.
START = 1_767_571_200 + 6 * 24 * HOUR
SERVICE = "shop"
RELEASES, ENVIRONMENTS, LANES = ["1.0", "1.1"], ["production", "test"], ["main", "it's a \\ \t lane"]
SIGNATURES = ["aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc"]
MICRO = 1000


def histogram(random_numbers):
    """Counters in ascending order, some of them large."""
    places = sorted(random_numbers.sample(range(2000), random_numbers.randint(0, 12)))
    return {"bucket": places, "count": [random_numbers.randint(1, 1 << random_numbers.randint(1, 40)) for _ in places]}


def flat(row):
    """A row as the format JSONEachRow has it: nested columns as arrays."""
    found = {}
    for name, value in row.items():
        if isinstance(value, dict):
            found.update({f"{name}.{part}": values for part, values in value.items()})
        else:
            found[name] = value
    return json.dumps(found)


class Fleet:
    """Rows by table, and the truth about them."""

    def __init__(self, seed, instances=6, hours=30):
        self.random = random.Random(seed)
        self.rows = collections.defaultdict(list)
        for number in range(instances):
            self.add_session(number, hours)
        for signature in SIGNATURES:
            self.rows["signatures"].append({
                "service": SERVICE, "signature": signature, "title": f"title of {signature}", "function": "f", "file": "F.swift",
                "line": 7, "call": "", "called": "g", "near": "", "frames": ["a", "it's", "b\tc"], "version": 5})
        for stack in (1, 2, (1 << 64) - 1):
            self.rows["stacks"].append({"service": SERVICE, "stack": stack, "frames": ["main", f"f{stack}"], "version": 5})

    def add_session(self, number, hours):
        draw = self.random
        origin = {"service": SERVICE, "release": draw.choice(RELEASES), "environment": draw.choice(ENVIRONMENTS),
                  "instance": f"host-{number % 4}", "session": draw.getrandbits(64)}
        stalls = 0
        for hour in range(hours):
            at = START + hour * HOUR
            for lane, name in enumerate(LANES):
                causes = {part: [] for part in ("signature", "stalls", "total_ns", "worst_ns", "first_ns", "last_ns")}
                for signature in sorted(draw.sample(SIGNATURES, draw.randint(0, 3))):
                    durations = [draw.randint(50_000, 4_000_000) * MICRO for _ in range(draw.randint(1, 4))]
                    begins = sorted((at * 10**9 + draw.randrange(HOUR * 10**9)) for _ in durations)
                    for began, duration in zip(begins, durations):
                        stalls += 1
                        self.rows["stalls"].append({
                            **origin, "at": began // 10**9, "started_ns": began, "number": stalls, "lane": lane, "lane_name": name,
                            "kind": "stall", "state": "ended", "severity": "hang", "mode": "default", "phase": "sources",
                            "duration_ns": duration, "running_ns": duration, "blocked_ns": 0, "starved_ns": 0,
                            "signature": signature, "call": "", "target": "", "annotation": {"name": [], "value": []}, "version": 5})
                    values = [signature, len(durations), sum(durations), max(durations), begins[0], begins[-1]]
                    for part, value in zip(causes, values):
                        causes[part].append(value)
                self.rows["activity"].append({
                    **origin, "hour": at, "lane": lane, "lane_name": name, "lane_kind": "run loop", "is_main": int(lane == 0),
                    "watched_ns": draw.randint(1, HOUR * 10**9), "busy_ns": draw.randint(0, 10**9),
                    "iterations": draw.randint(0, 10**6), "stalls": sum(causes["stalls"]), "stalled_ns": sum(causes["total_ns"]),
                    "hangs": 1, "hang_ns": 7, "worst_ns": max(causes["worst_ns"], default=0), "unattributed": draw.randint(0, 2),
                    "span": histogram(draw), "delay": histogram(draw), "cause": causes, "version": 5})
            self.rows["stack_times"].append({
                **origin, "hour": at, "version": 5,
                "time": {"signature": SIGNATURES[:2], "stack": [1, draw.choice([2, (1 << 64) - 1])], "looks": [3, 1],
                         "weight_ns": [draw.randint(1, 10**9), 5]}})
        self.rows["sessions"].append({
            **origin, "at": START, "started_ns": START * 10**9 + 1, "duration_ns": hours * HOUR * 10**9, "ended": draw.choice(["clean", "killed"]),
            "exit_status": -1, "threshold_ns": 50_000_000, "platform": "linux", "host": "", "command": ["shop", "--port"],
            "tag": {"name": ["team"], "value": ["a"]}, "unobserved_ns": 5, "excluded_ns": 6, "observer_ns": 7, "monitor_cpu_ns": 8,
            "wakeups": 9, "loop_lateness": histogram(draw), "dispatch_lateness": histogram(draw),
            "loss": {"what": ["sample", "ship stall"], "count": [2, number]}, "version": 5})
        for timer in ("refresh", "save"):
            self.rows["timers"].append({
                **origin, "at": START, "lane_name": "main", "timer": timer, "due": 100, "fired": 98, "dropped": 2,
                "lateness": histogram(draw), "version": 5})

    def older(self, table, row):
        """The row as it was before: less of everything, also another release and other names."""
        older = {**row, "version": row["version"] - 1}
        for name, value in row.items():
            if name.endswith("_ns") and name != "started_ns" or name in ("iterations", "stalls", "fired"):
                older[name] = value // 2
        if "release" in row:
            older["release"] = "unknown"
        if table == "signatures":
            older["title"] = "0x1234"
        return older

    def sent(self):
        """What arrives: each row twice and an older version of it, in any order, in batches."""
        everything = [(table, row) for table, rows in self.rows.items() for row in rows]
        everything += everything + [(table, self.older(table, row)) for table, row in everything]
        self.random.shuffle(everything)
        for begin in range(0, len(everything), 700):
            batch = collections.defaultdict(list)
            for table, row in everything[begin:begin + 700]:
                batch[table].append(row)
            yield from batch.items()

    def admitted(self, table, given, time="hour"):
        """The rows that the parameters of a question let through."""
        for row in self.rows[table]:
            if row["service"] == given["service"] and given["since"] <= row[time] < given["until"] and all(
                    not given[many] or row[one] in given[many]
                    for many, one in (("releases", "release"), ("environments", "environment"), ("lanes", "lane_name")) if one in row):
                yield row

    @staticmethod
    def unit(row):
        return (row["release"], row["environment"], row["instance"])


def merged(histograms):
    """The counters of all, by their place."""
    sums = collections.Counter()
    for one in histograms:
        for bucket, count in zip(one["bucket"], one["count"]):
            sums[bucket] += count
    return [bucket for bucket in sorted(sums)], [sums[bucket] for bucket in sorted(sums)]
