"""tools/judge/fleet-simulate says what this is."""

import argparse
import contextlib
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from tools.fleet import clickhouse
from tools.fleet.judge_collector import counter_bounds, percentile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SLOW = "Thumbnails.scale(_:)"
# What a group of a report has, and what the truth calls it.
FIELDS = {
    "watched_ns": "watched_ns", "busy_ns": "busy_ns", "iterations": "iterations", "stalls": "stalls",
    "stalled_ns": "stalled_ns", "hangs": "hangs", "worst_ns": "worst_ns",
}


class Failed(Exception):
    """A run that did not do what it should."""


class Tools:
    def __init__(self, built):
        self.built = built

    def run(self, *words, codes=(0,)):
        done = subprocess.run([f"{self.built}/{words[0]}", *map(str, words[1:])], capture_output=True, text=True, check=False)
        if done.returncode not in codes:
            raise Failed(f"{' '.join(map(str, words))}: {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def ask(self, question, *words, codes=(0,)):
        return json.loads(self.run("stallwatch", "fleet", question, *words, "--service", "feed", "--format", "json", codes=codes))


def groups(truth, *names, lanes=None):
    """The truth's groups, of these lanes or of all, added up by some of release, environment and lane."""
    sums = {}
    for group in truth["groups"]:
        if lanes and group["lane"] not in lanes:
            continue
        key = tuple(group[name] for name in names)
        total = sums.setdefault(key, {"spans": {}, **{field: 0 for field in FIELDS.values()}})
        for field in FIELDS.values():
            total[field] = max(total[field], group[field]) if field == "worst_ns" else total[field] + group[field]
        for index, count in group["spans"]:
            total["spans"][index] = total["spans"].get(index, 0) + count
    return sums


def judge_group(name, found, truth, faults):
    for field, other in FIELDS.items():
        if found[field] != truth[other]:
            faults.append(f"{name}: {field} is {found[field]}, not {truth[other]}")
    exact = [(counter_bounds(index)[1], count) for index, count in sorted(truth["spans"].items())]
    if found["span_ns"]["count"] != sum(truth["spans"].values()):
        faults.append(f"{name}: {found['span_ns']['count']} spans")
    for key, percent in (("p50", 50), ("p90", 90), ("p99", 99), ("p999", 99.9)):
        if found["span_ns"][key] != percentile(exact, percent):
            faults.append(f"{name}: {key} is {found['span_ns'][key]}, not {percentile(exact, percent)}")


def judge(report, causes, truth):
    """What differs from the truth, in lines."""
    # Lanes apart, a report counts the lanes of use.
    faults, used = [], ["main"]
    if report["counted_lanes"] != used:
        faults.append(f"lanes of use are {report['counted_lanes']}")
    judge_group("all", report["all"], groups(truth, lanes=used)[()], faults)
    for kind, name in (("releases", "release"), ("environments", "environment"), ("lanes", "lane")):
        expected = groups(truth, name, lanes=None if name == "lane" else used)
        found = {group["name"]: group for group in report[kind]}
        if {(key,) for key in found} != set(expected):
            faults.append(f"{kind} are {sorted(found)}")
        for (key,), group in expected.items():
            if key in found:
                judge_group(f"{name} {key}", found[key], group, faults)
    if report["missing"]["sessions"] != truth["sessions"]:
        faults.append(f"{report['missing']['sessions']} sessions, not {truth['sessions']}")
    found = {cause["function"]: cause for cause in causes["causes"]}
    if set(found) != set(truth["causes"]):
        faults.append(f"causes are {sorted(found)}")
    for function, cause in truth["causes"].items():
        if function not in found:
            continue
        reported = found[function]
        for field in ("stalls", "total_ns", "worst_ns", "instances", "instance_hours"):
            if reported[field] != cause[field]:
                faults.append(f"{function}: {field} is {reported[field]}, not {cause[field]}")
        if sorted(reported["releases"]) != cause["releases"]:
            faults.append(f"{function}: releases are {reported['releases']}")
        for field, other in (("first_seen", "first_ns"), ("last_seen", "last_ns")):
            if not agrees(reported[field], cause[other]):
                faults.append(f"{function}: {field} is {reported[field]}, not {cause[other]}")
    return faults


def agrees(text, nanoseconds):
    """Whether a moment as RFC 3339 has it is that one, as far as it is written out."""
    import datetime  # pylint: disable=import-outside-toplevel
    moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()
    return abs(moment - nanoseconds / 1e9) <= 1


def simulate(tools, instances, days, seed):
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(dir=place())))
        tools.run("fleet-maker", folder / "stores", instances, days, seed)
        truth = json.loads((folder / "stores" / "truth.json").read_text())
        shards = stack.enter_context(clickhouse.servers(folder, 2))
        today = stack.enter_context(clickhouse.chdb(folder))
        tools.run("stallwatch", "fleet", "migrate", "--to", f"{shards[0].url}/fleet", "--to", f"{shards[1].url}/fleet",
                  "--cluster", clickhouse.CLUSTER)
        tools.run("stallwatch", "fleet", "migrate", "--to", f"{today.url}/fleet")
        for name, server in (("cluster", shards[0]), ("chdb", today)):
            print(name, tools.run("stallwatch", "ship", folder / "stores", "--to", f"{server.url}/fleet", "--state",
                                  folder / f"{name}.state").strip())
        sources = {
            "stores": folder / "stores", "cluster": f"{shards[0].url}/fleet", "other shard": f"{shards[1].url}/fleet",
            "chdb": f"{today.url}/fleet",
        }
        answers, faults = {}, []
        for name, source in sources.items():
            report, causes = (tools.ask(question, "--from", source) for question in ("report", "causes"))
            answers[name] = (report, causes)
            faults += [f"{name}: {fault}" for fault in judge(report, causes, truth)]
            if answers[name] != answers["stores"]:
                faults.append(f"{name} says other than the stores")
    stalls = sum(group["stalls"] for group in truth["groups"])
    print(f"{instances} instances, {truth['sessions']} sessions, {stalls} stalls, {len(truth['causes'])} causes: {len(sources)} reports")
    return faults


def regressions(tools, seeds, instances):
    """Whether `fleet diff` names a slower cause, and nothing where nothing changed."""
    named, quiet = 0, 0
    for seed in range(1, seeds + 1):
        for slower in (1.2, 1.0):
            with tempfile.TemporaryDirectory(dir=place()) as folder:
                tools.run("fleet-maker", folder, instances, 7, seed, slower, 0.3)
                reported = tools.ask("diff", "--from", folder, "--base", "1.0", "--new", "2.0")["comparison"]
            found = [f"{change['subject']} {change['question']}" for change in reported["changes"]
                     if change["verdict"] in ("new", "gone", "worse", "better")]
            if slower > 1:
                named += any(SLOW in title for title in found)
            else:
                quiet += not found
            print(f"seed {seed}, {slower:g} times: {', '.join(found) or 'nothing'}", flush=True)
    print(f"named in {named} of {seeds}; nothing found where nothing changed in {quiet} of {seeds}")
    return [] if named >= math.ceil(seeds * 0.95) and quiet == seeds else ["see above"]


def place():
    """Where files cost no flush of a disk."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def main():
    parser = argparse.ArgumentParser(prog="tools/judge/fleet-simulate", allow_abbrev=False, description="see the head of the script")
    parser.add_argument("--products", help="a folder with what is built, to build nothing")
    parser.add_argument("--regressions", type=int, metavar="SEEDS")
    parser.add_argument("numbers", type=int, nargs="*")
    arguments = parser.parse_args()
    built = arguments.products or subprocess.run(
        [ROOT / "tools/build/products", "stallwatch", "fleet-maker"], capture_output=True, text=True, check=False).stdout.strip()
    if not built:
        return 3
    try:
        if arguments.regressions:
            faults = regressions(Tools(built), arguments.regressions, *(arguments.numbers[:1] or [150]))
        else:
            faults = simulate(Tools(built), *(arguments.numbers + [1_000, 7, 1][len(arguments.numbers):])[:3])
    except Failed as failure:
        print(failure, file=sys.stderr)
        return 3
    for fault in faults[:30]:
        print(fault)
    print("pass" if not faults else f"FAIL: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
