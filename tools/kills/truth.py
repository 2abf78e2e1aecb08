"""What a program that was killed wrote of itself."""

import json

from .lateness import MS

BEHIND = 300 * MS  # What truth may lack at death: it is written every 100 ms. What it lacks is not judged.


class Truth:
    """What the workload wrote of itself until it died."""

    def __init__(self, path):
        lines = [json.loads(line) for line in read_text(path).splitlines(keepends=True) if line.endswith("\n")]
        self.began = [line for line in lines if line["kind"] == "stall-began"]
        self.ended = {line["number"]: line for line in lines if line["kind"] == "stall"}
        self.preempted = [line for line in lines if line["kind"] == "preempted"]

    def open(self, moment):
        """The holds that had begun and are not known to have ended, the machine's hiccups aside."""
        return [line for line in self.began if line["number"] not in self.ended and line["started_ns"] < moment]

    def explains(self, stall, killed):
        """Whether a fatal stall is a hold that was open at death or shortly before, or the machine's fault."""
        start, end = stall["started_ns"], stall["started_ns"] + stall["duration_ns"]
        if start > killed - BEHIND:
            return True
        for began in self.began:
            ended = self.ended.get(began["number"])
            last = ended["started_ns"] + ended["duration_ns"] if ended else killed
            if began["thread_id"] == stall["thread_id"] and began["started_ns"] < end and last > start:
                return last > killed - BEHIND
        return any(line.get("thread_id", stall["thread_id"]) == stall["thread_id"] and line["started_ns"] < end
                   and line["started_ns"] + line["duration_ns"] > start for line in self.preempted)


def described(began):
    return f"{began['how']} stall {began['number']} on {began['loop']}"


def read_text(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
