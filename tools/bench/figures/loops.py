"""Runs the program loop-cost, and takes medians over rounds in which the ways of watching follow each other."""

import json
import statistics

from .section import run


def turn(section, monitor, iteration, **options):
    """One run of loop-cost."""
    words = [f"{section.bench}/loop-cost", monitor, iteration, "--store", f"{section.directory}/{monitor}.stallwatch"]
    for name, value in options.items():
        words += [f"--{name}", value]
    return json.loads(run(*words))


def rounds(section, count, monitors, iteration, **options):
    """Every monitor once a round, so that what the machine does meanwhile meets them all alike."""
    found = {monitor: [] for monitor in monitors}
    for _ in range(count):
        for monitor in monitors:
            found[monitor].append(turn(section, monitor, iteration, **options))
    return found


def added(found, monitor, key):
    """The median over rounds of what a monitor adds to a loop that nobody watches."""
    return statistics.median(watched[key] - bare[key] for watched, bare in zip(found[monitor], found["none"]))


def ratio(found, monitor, other, key="ns"):
    """The median over rounds of what one adds, by what the other adds."""
    return statistics.median(
        (one[key] - bare[key]) / max(two[key] - bare[key], 1e-9)
        for one, two, bare in zip(found[monitor], found[other], found["none"]))
