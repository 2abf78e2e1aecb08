"""What an activity costs in instructions, beside observers that only read the clock: exact, on any machine."""

from .loops import turn
from .section import Section, progress

NAMES = {"empty": "C observers that do nothing", "clock": "C observers that read the clock",
         "recording": "Stallwatch: profile and stalls"}
ALLOWED = 1.10


def main():
    section = Section.from_arguments("An activity's instructions")
    rows, worst = [], None
    for iteration in ("blocking", "source0", "polling"):
        progress(f"an activity of {iteration} iterations, step by step")
        found = {monitor: turn(section, monitor, iteration, steps=1, iterations=200)
                 for monitor in ("none", "empty", "clock", "recording")}
        if any("instructions" not in facts for facts in found.values()):
            break
        each = found["none"]["activities"]
        costs = {monitor: found[monitor]["instructions"] - found["none"]["instructions"] for monitor in NAMES}
        rows += [[iteration, name, f"{costs[monitor] / each:.0f}", f"{costs[monitor] / costs['clock']:.2f}"]
                 for monitor, name in NAMES.items()]
        worst = max(worst or 0, costs["recording"] / costs["clock"])
    section.table("An activity, in instructions", ["iteration", "watched by", "instructions", "of a clock read"], rows,
                  "The instructions outside the kernel that watching adds to one activity of one loop with one mode, "
                  "counted by stepping the loop's thread: those of most of 200 iterations. Stepped callouts take "
                  "milliseconds, so a polling loop is outside runs for longer than a pause within one. The last column "
                  "is the cost divided by that of C observers at the same places that only read the clock.")
    section.budget("full recording, per activity, in instructions", f"≤ {ALLOWED:.2f} × C observers that read the clock",
                   "unknown: no process may be stepped" if worst is None else
                   f"{worst:.2f} (the worst of three kinds of iteration)", None if worst is None else worst <= ALLOWED)
    section.print()


if __name__ == "__main__":
    main()
