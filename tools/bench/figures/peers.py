"""What others' techniques told of a run, matched with the truth."""

import json

from .runs import MS, compare


class Sighting:
    """A stall as a technique tells it; `end` is None for one that never ended."""

    def __init__(self, start, end, told):
        self.start, self.end, self.told = start, end, told


def read(path):
    """Sightings by technique; what is told while it goes on and again when it is over is one."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in map(json.loads, file):
            open_ones = found.setdefault(line["technique"], {})
            sighting = open_ones.setdefault(line["started_ns"], Sighting(line["started_ns"], None, line["told_ns"]))
            sighting.end = sighting.end or line["ended_ns"]
    return {technique: list(sightings.values()) for technique, sightings in found.items()}


def ours(path):
    """The same of Stallwatch."""
    with open(path, encoding="utf-8") as file:
        items = json.load(file)["items"]
    return [Sighting(item["started_ns"], item["started_ns"] + item["duration_ns"],
                     item["started_ns"] + item["detected_after_ns"])
            for item in items if item["kind"] == "stall" and item["state"] != "cancelled"]


class Matched:
    """Sightings beside the truth's holds: by overlap, each sighting with one hold at most. `false` are those that overlap no
    hold of at least `bound`."""

    def __init__(self, truth, sightings, bound):
        self.pairs, self.false = [], []
        holds = sorted(truth, key=lambda hold: hold.start)
        taken = set()
        for sighting in sorted(sightings, key=lambda one: one.start):
            end = sighting.end or sighting.told
            over = [(min(end, hold.end) - max(sighting.start, hold.start), hold) for hold in holds
                    if hold.duration >= bound - 2 * MS]
            best = max(over, key=lambda one: one[0], default=(0, None))
            if best[0] <= 0:
                self.false.append(sighting)
            elif best[1] not in taken:
                taken.add(best[1])
                self.pairs.append((best[1], sighting))

    def durations(self):
        return [abs((one.end - one.start) - hold.duration) for hold, one in self.pairs if one.end]

    def onsets(self):
        return [abs(one.start - hold.start) for hold, one in self.pairs]

    def latencies(self, threshold):
        """From the moment at which the hold had lasted as long as the threshold."""
        return [max(0, one.told - (hold.start + threshold)) for hold, one in self.pairs]


def holds(path):
    """The truth's holds, near-misses and all."""
    with open(path, encoding="utf-8") as file:
        return [compare.Interval(line) for line in map(json.loads, file) if line["kind"] == "stall"]
