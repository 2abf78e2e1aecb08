"""tools/judge/fleet-sampling says what this is."""

import argparse
import math
import pathlib
import random
import subprocess
import statistics
import sys
import tempfile

from tools.fleet.judge_fleet import Failed, Tools

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Of so many draws, fewer within the interval than this share would be chance once in a hundred times: see `least`.
CONFIDENCE, CHANCE = 0.95, 0.01


def least(draws):
    """The fewest of so many draws that lie within a 95 % interval, but for one time in a hundred."""
    below, count = 0.0, 0
    while True:
        below += math.comb(draws, count) * CONFIDENCE**count * (1 - CONFIDENCE)**(draws - count)
        if below > CHANCE:
            return count
        count += 1


def shares(report):
    return {cause["title"]: cause["share"] for cause in report["causes"]}


def judge(tools, folder, arguments):
    tools.run("fleet-maker", folder, arguments.instances, 7, arguments.seed)
    stores = sorted(pathlib.Path(folder).glob("*.stallwatch"))
    whole = tools.ask("report", "--from", folder)
    rate = whole["all"]["hang_rate"]
    known = shares(whole)
    # The whole is itself a sample, of all days that could be: so its own interval is beside the point here.
    width = lambda estimate: estimate["high"] - estimate["low"]  # noqa: E731
    print(f"{len(stores)} instances: hang rate {rate['value']:.3f} ({rate['low']:.3f} to {rate['high']:.3f})")
    chance = random.Random(arguments.seed)
    size, within, widths, errors = len(stores) // arguments.every, 0, [], {title: [] for title in known}
    for draw in range(arguments.draws):
        sample = tools.ask("report", "--from", *chance.sample(stores, size))
        found = sample["all"]["hang_rate"]
        within += found["low"] <= rate["value"] <= found["high"]
        widths.append(width(found) / width(rate))
        for title, share in known.items():
            errors[title].append(shares(sample).get(title, 0) - share)
        print(f"\r{draw + 1} of {arguments.draws} samples", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(f"{size} of them, {arguments.draws} times: the rate of all lies in the sample's 95 % interval {within} times (at least "
          f"{least(arguments.draws)}); the interval is {statistics.median(widths):.1f} times as wide (√{arguments.every} = "
          f"{math.sqrt(arguments.every):.1f})")
    half = width(rate) / 2 / rate["value"]
    print("half of it: " + ", ".join(f"±{half * math.sqrt(len(stores) / count) * 100:.2g} % of the rate for {count:,}"
                                     for count in (len(stores), size, 100_000)) + " instances")
    for title, share in sorted(known.items(), key=lambda item: -item[1]):
        # Of a sample without replacement.
        expected = math.sqrt(share * (1 - share) / size * (1 - size / len(stores)))
        seen = math.sqrt(statistics.fmean(error * error for error in errors[title]))
        missed = sum(error <= -share for error in errors[title])
        print(f"{title}: share of all {share:.3f}, standard error {seen:.3f} (expected {expected:.3f}), missed by {missed}")
    return 0 if within >= least(arguments.draws) else 1


def main():
    parser = argparse.ArgumentParser(prog="tools/judge/fleet-sampling", allow_abbrev=False, description="see the head of the script")
    parser.add_argument("--products", help="a folder with what is built, to build nothing")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("instances", type=int, nargs="?", default=400)
    parser.add_argument("every", type=int, nargs="?", default=10)
    parser.add_argument("draws", type=int, nargs="?", default=60)
    arguments = parser.parse_args()
    if arguments.every < 1 or arguments.instances // arguments.every < 4 or arguments.draws < 1:
        parser.error("a sample needs at least 4 instances, and there must be one")
    built = arguments.products or subprocess.run(
        [ROOT / "tools/build/products", "stallwatch", "fleet-maker"], capture_output=True, text=True, check=False).stdout.strip()
    if not built:
        return 3
    with tempfile.TemporaryDirectory() as folder:
        try:
            return judge(Tools(built), folder, arguments)
        except Failed as error:
            print(error, file=sys.stderr)
            return 3


if __name__ == "__main__":
    sys.exit(main())
