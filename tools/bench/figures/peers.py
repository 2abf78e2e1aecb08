"""What others' techniques reported of a run, and Stallwatch, matched with the truth."""

import json
import os

from .runs import compare

PEERS = ["ping", "semaphore per wake", "wake to wait", "activity to activity", "frame tick"]
TECHNIQUES = ["Stallwatch", *PEERS]


class Truth(compare.Run):
    """What the workload did, and when the machine was late."""

    def __init__(self, path):
        self.read_truth(path)
        self.thread = next((hold.thread for hold in self.holds), None)


class Sighting(compare.Interval):
    """A stall as a technique reports it. One without a reported end ends when it was reported."""

    def __init__(self, start, end, reported):
        super().__init__({"started_ns": start}, end=end or reported)
        self.reported, self.has_end = reported, end is not None


def sightings(recording):
    """Those of a recording, by technique."""
    found = {name: {} for name in PEERS}
    if os.path.exists(recording.peers):
        with open(recording.peers, encoding="utf-8") as file:
            for line in map(json.loads, file):
                # A stall that is reported while it goes on, and again when it is over, is one.
                began = found[line["technique"]].get(line["started_ns"])
                reported = began.reported if began else line["reported_ns"]
                found[line["technique"]][line["started_ns"]] = Sighting(line["started_ns"], line["ended_ns"], reported)
    return {"Stallwatch": ours(recording, "stall"),
            **{name: list(of_one.values()) for name, of_one in found.items()}}


def ours(recording, kind):
    """Stallwatch's; those that it took back are none."""
    with open(recording.stalls, encoding="utf-8") as file:
        items = json.load(file)["items"]
    return [Sighting(item["started_ns"], item["started_ns"] + item["duration_ns"],
                     item["started_ns"] + item["detected_after_ns"])
            for item in items if item["kind"] == kind and item["state"] != "cancelled"]


class Matched:
    """Sightings of one technique beside holds, one to one, those that overlap most first.

    expected: holds of at least `bound`, and 2 ms. pairs: holds and their sightings. short: sightings that are mostly a
    hold below the bound. machine: those that the machine's lateness explains. false: those that nothing explains.
    """

    def __init__(self, bound):
        self.bound, self.expected = bound, []
        self.pairs, self.short, self.machine, self.false = [], [], [], []

    def add(self, truth, found):
        """Takes one run more."""
        long = [hold for hold in truth.holds if hold.duration >= self.bound - compare.TOLERANCE]
        self.expected += [hold for hold in long if hold.duration >= self.bound + compare.TOLERANCE]
        overlaps = [(hold.overlap(one), hold, one) for hold in long for one in found if hold.overlap(one)]
        taken = set()
        for _, hold, one in sorted(overlaps, key=lambda each: -each[0]):
            if hold not in taken and one not in taken:
                taken.update((hold, one))
                self.pairs.append((hold, one))
        for one in found:
            if one not in taken:
                self.kind(truth, one).append(one)

    def kind(self, truth, one):
        one.thread = truth.thread
        if truth.explained(one) > one.duration - (self.bound - compare.TOLERANCE):
            return self.machine
        if any(2 * hold.overlap(one) > one.duration for hold in truth.holds):
            return self.short
        return self.false

    def hits(self, among=None):
        """How many of the expected holds were found, and how many there are; among those that are wanted."""
        expected = [hold for hold in self.expected if among is None or among(hold)]
        found = {hold for hold, _ in self.pairs}
        return sum(hold in found for hold in expected), len(expected)

    def duration_errors(self):
        return [abs(one.duration - hold.duration) for hold, one in self.pairs if one.has_end]

    def onset_errors(self):
        return [abs(one.start - hold.start) for hold, one in self.pairs]

    def latencies(self):
        """From the moment at which the hold had lasted as long as the bound; negative for what was reported before."""
        return [one.reported - (hold.start + self.bound) for hold, one in self.pairs]
