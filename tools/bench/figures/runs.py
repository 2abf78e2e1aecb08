"""Records the workload, and judges what was told of it as tools/compare does."""

import importlib.machinery
import importlib.util
import os
import pathlib

from .section import run

_loader = importlib.machinery.SourceFileLoader(
    "compare", str(pathlib.Path(__file__).resolve().parent.parent.parent / "compare"))
compare = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare", _loader))
_loader.exec_module(compare)

MS = 1_000_000
THRESHOLD = 50 * MS
PEERS = ["ping", "semaphore per wake", "wake to wait", "frame tick"]


class Recording:
    """One run of the workload under `record`, with others' techniques in the same process where they are asked for."""

    def __init__(self, section, name, workload, peers=None, program=None):
        place = f"{section.directory}/{name}"
        self.truth, self.store = place + ".jsonl", place + ".db"
        self.stalls, self.peers = place + ".json", place + ".peers"
        environment = dict(os.environ)
        if peers is not None:
            environment.update(LD_PRELOAD=f"{section.bench}/libPeerTechniques.so", PEERS_OUT=self.peers,
                               PEERS_PROGRAM="stallwatch-workload")
            if peers:
                environment["PEERS_THRESHOLD_NS"] = str(peers)
        program = program or [f"{section.built}/stallwatch-workload", *map(str, workload), "--truth", self.truth]
        run(f"{section.built}/stallwatch", "record", "-o", self.store, "--threshold", "50ms", "--", *program,
            env=environment)
        with open(self.stalls, "w", encoding="utf-8") as file:
            file.write(run(f"{section.built}/stallwatch", "stalls", self.store, "--format", "json"))

    def judged(self):
        return compare.Run(self.truth, self.stalls, THRESHOLD)


def percentile(values, share):
    """Nearest rank; None of nothing."""
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))] if values else None


def ms(value):
    return "–" if value is None else f"{value / MS:.2f} ms"


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "–"
