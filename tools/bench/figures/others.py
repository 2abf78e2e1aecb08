"""The budgets that other commands of the repository measure, and the clock that observers read."""

import json
import os
import pathlib
import re
import subprocess

from .section import Section, progress, run

TOOLS = pathlib.Path(__file__).resolve().parent.parent.parent


def clock(section):
    seconds = 600 if section.long else 30
    progress(f"the counter clock, {seconds} s")
    found = json.loads(run(f"{section.bench}/clock-check", seconds))
    section.table("The clock", ["what", "measured"], [
        ["a read of the monotonic clock", f"{found['clock_read_ns']:.1f} ns"],
        ["a read of the counter, converted", f"{found['counter_read_ns']:.1f} ns"],
        ["converted times off by, p99", f"{found['p99_ns']} ns"], ["at most", f"{found['max_ns']} ns"],
        ["readings compared", f"{found['compared']:,} in {seconds} s"],
        ["readings that the clock answered", f"{100 * found['by_clock'] / found['readings']:.1f} %"]],
        "Where the kernel keeps time by the processor's counter, observers read that counter. A converted time is off "
        "by as much as it lies outside the two clock readings around it. Until two rates agree, and after a rest, "
        "observers read the clock instead.")
    if found["compared"]:
        section.budget("converted times", "within 1 µs of CLOCK_MONOTONIC", f"at most {found['max_ns']} ns",
                       found["max_ns"] <= 1_000)


def judge(section, budget, limit, command, pattern):
    """Runs another command; its own judgement counts, and the part of its output that `pattern` finds."""
    progress(" ".join(command))
    done = subprocess.run([str(TOOLS / command[0]), *command[1:]], capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr
    found = re.findall(pattern, output, re.MULTILINE)
    last = (output.strip().splitlines() or ["nothing"])[-1]
    measured = "; ".join(" ".join(part.split()) for part in found) or last
    section.budget(budget, limit, measured, done.returncode == 0)


def main():
    section = Section.from_arguments("Clock and other budgets")
    clock(section)
    judge(section, "target thread paused by a sample", "0 when blocked; ≤ 10 µs median, ≤ 50 µs p99 when running",
          ["bench/pause-bench"], r"^(?:blocked: \d+ of|running: in the handler|running: added).*$")
    judge(section, "dropped fires", "exact", ["judge/timers", *([] if section.long else ["1"])],
          r"^(?:record|embedded).*$")
    judge(section, "a kill at any moment", "file intact, at most 20 ms of counters lost, no stall lost",
          ["judge/kill-test", "100" if section.long else "10"], r"^fatal stalls.*$")
    section.print()


if __name__ == "__main__":
    main()
