"""Records programs, and judges what was reported of them as tools/judge/compare does."""

import importlib.machinery
import importlib.util
import json
import math
import os
import pathlib
import subprocess
import sys
import time

from .section import run

_loader = importlib.machinery.SourceFileLoader(
    "compare", str(pathlib.Path(__file__).resolve().parent.parent.parent / "compare"))
compare = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare", _loader))
_loader.exec_module(compare)

MS = 1_000_000
THRESHOLD = 50 * MS


class Recording:
    """One run of the workload, or of another `program` that takes its truth's path last, under `record`.

    `peers` has others' techniques watch in the same process: at that threshold in nanoseconds, or 0 for the usual ones.
    `during` is called with the workload's process id while it runs.
    """

    def __init__(self, section, name, workload=(), peers=None, program=None, during=None):
        place = f"{section.directory}/{name}"
        self.truth, self.peers = place + ".jsonl", place + ".peers"
        store, stallwatch = place + ".db", f"{section.built}/stallwatch"
        program = program or [f"{section.built}/stallwatch-workload", *workload, "--truth"]
        environment = dict(os.environ)
        if peers is not None:
            environment.update(LD_PRELOAD=f"{section.bench}/libPeerTechniques.so", PEERS_OUT=self.peers,
                               PEERS_PROGRAM=os.path.basename(program[0]))
            if peers:
                environment["PEERS_THRESHOLD_NS"] = str(peers)
        command = [stallwatch, "record", "-o", store, "--threshold", "50ms", "--", *program, self.truth]
        if during:
            self.run_with(command, environment, during)
        else:
            run(*command, env=environment)
        self.stalls = place + ".json"
        with open(self.stalls, "w", encoding="utf-8") as file:
            file.write(run(stallwatch, "stalls", store, "--format", "json"))

    def run_with(self, command, environment, during):
        with open(self.truth + ".log", "w+", encoding="utf-8") as log:
            recorder = subprocess.Popen([str(word) for word in command], env=environment, stdout=log, stderr=log)
            while recorder.poll() is None and not (process := self.workload_process()):
                time.sleep(0.05)
            if recorder.returncode is None:
                during(process)
            if recorder.wait() != 0:
                log.seek(0)
                sys.exit(f"recording to {self.truth} failed with {recorder.returncode}: {log.read().strip()}")

    def workload_process(self):
        """Its id, as soon as the truth says it."""
        try:
            with open(self.truth, encoding="utf-8") as file:
                return json.loads(file.readline())["pid"]
        except (OSError, ValueError):
            return None

    def judged(self):
        return compare.Run(self.truth, self.stalls, THRESHOLD)


def percentile(values, share):
    """Nearest rank; None of nothing."""
    values = sorted(values)
    return values[max(1, math.ceil(share * len(values))) - 1] if values else None


def ms(value):
    return "–" if value is None else f"{value / MS:.2f} ms"


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "–"


def mean(values):
    """None of nothing."""
    return sum(values) / len(values) if values else None
