"""Node's monitorEventLoopDelay beside Stallwatch, on one schedule of holds."""

import json
import pathlib
import random
import shutil
import subprocess

from .runs import mean, ms, percentile
from .section import progress, run

MS = 1_000_000


def compare_with_node(section):
    """The same holds in Node and in a run loop: what do the percentiles of either say of them?"""
    program = str(pathlib.Path(__file__).with_name("event-loop.js"))
    if not shutil.which("node"):
        section.table("Beside Node's monitorEventLoopDelay", ["what"], [], "Node is not installed here.")
        return
    progress("Node's monitorEventLoopDelay")
    chance = random.Random(5)
    schedule = [{"afterMs": 40, "holdMs": round(20 * 50 ** chance.random(), 3)} for _ in range(40)]
    path = f"{section.directory}/schedule.json"
    pathlib.Path(path).write_text(json.dumps(schedule), encoding="utf-8")
    node = json.loads(subprocess.run(["node", program, path], capture_output=True, text=True, check=True).stdout)

    store = f"{section.directory}/schedule.db"
    run(f"{section.built}/stallwatch", "record", "-o", store, "--threshold", "20ms", "--drift-interval", "off", "--",
        f"{section.bench}/scheduled-loop", path)
    items = json.loads(run(f"{section.built}/stallwatch", "stalls", store, "--format", "json"))["items"]
    ours = [item["duration_ns"] for item in items if item["kind"] == "stall"]
    truth = node["holds"]
    rows = [["how many", len(truth), len(ours), f"{node['samples']} samples"]]
    rows.append(["mean", ms(mean(truth)), ms(mean(ours)), ms(node["mean"])])
    for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1)):
        rows.append([name, ms(percentile(truth, share)), ms(percentile(ours, share)), ms(node[name])])
    section.table("Beside Node's monitorEventLoopDelay", ["of the holds", "truth", "Stallwatch", "Node"], rows,
                  "40 holds of 20 ms to 1 s, 40 ms apart, in Node and in a run loop. Node's histogram counts ticks of "
                  "its own timer: each hold is one sample among all those of a loop that was free. So its percentiles "
                  "say nothing about the holds, and its delays include the timer's own 10 ms.")
