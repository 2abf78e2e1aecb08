"""What a look at a held thread costs the monitor.

usage: looks --json|--text <FIGURES     as tools/bench/look-cost does with what its program prints
       looks --built DIR …              as a section of the suite
"""

import json
import pathlib
import sys

BLOCKED_LIMIT, RUNNING_LIMIT = 40, 25


def budgets(found):
    """The worst kind of hold of each sort: what it is, its limit, the median look's microseconds, and whether it holds."""
    for is_running, limit in ((False, BLOCKED_LIMIT), (True, RUNNING_LIMIT)):
        worst = max((kind for kind in found["kinds"] if kind["isRunning"] == is_running), key=lambda kind: kind["perLook"])
        what = "a look at a held thread that " + ("runs" if is_running else "is blocked") + ", monitor's CPU"
        yield what, limit, worst, worst["perLook"] <= limit


def measured(kind):
    return f"{kind['perLook']:.0f} µs ({kind['name']}), of which its system calls alone {kind['floor']:.0f} µs"


def tables(found):
    yield ("A look's parts, one after the other at a thread that sleeps", ["part", "CPU time"],
           [[part["name"], f"{part['microseconds']:.1f} µs"] for part in found["parts"]])
    yield ("The system calls alone that a look cannot do without, 80 ms apart", ["a thread that is", "CPU time"],
           [[part["name"], f"{part['microseconds']:.1f} µs"] for part in found["floor"]])
    yield ("Looks at held threads",
           ["held by", "looks", "first", "median of the others", "its floor", "CPU time a second", "without looks"],
           [[kind["name"], kind["looks"], f"{kind['firstLook']:.0f} µs", f"{kind['perLook']:.0f} µs",
             f"{kind['floor']:.0f} µs", f"{kind['perSecond']:.2f} ms",
             f"{kind['perSecondWithout']:.2f} ms"] for kind in found["kinds"]])


NOTE = ("The first table repeats each part without a pause, so that all it needs is in the processor's caches. The last "
        "is of looks as they come while a stall goes on, up to 80 ms apart, when little of it is: the CPU time of the "
        "watchdog's thread for each look, and for a second of the hold with all that it does besides. The second is the "
        "floor of that on this machine at this time: a thread that wakes as seldom and makes the same system calls, and "
        "does nothing else.")


def text(found):
    for title, columns, rows in tables(found):
        rows = [columns, *([str(cell) for cell in row] for row in rows)]
        widths = [max(len(row[place]) for row in rows) for place in range(len(columns))]
        print(title)
        for row in rows:
            first, *others = zip(row, widths)
            print("  " + "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]))
        print()
    for what, limit, worst, holds in budgets(found):
        print(f"{'pass' if holds else 'FAIL'}  {what}: {measured(worst)}; budget {limit} µs")


def section():
    from .section import Section, progress, run

    section = Section.from_arguments("Looks at held threads")
    progress("looks at held threads")
    command = pathlib.Path(__file__).resolve().parent.parent / "look-cost"
    found = json.loads(run(command, "--json", 10 if section.long else 3, may_fail=(1,)))
    for title, columns, rows in tables(found):
        section.table(title, columns, rows, NOTE)
    for what, limit, worst, holds in budgets(found):
        section.budget(what, f"≤ {limit} µs", measured(worst), holds)
    section.print()


def main():
    if sys.argv[1:] not in (["--json"], ["--text"]):
        return section()
    found = json.load(sys.stdin)
    if sys.argv[1] == "--json":
        json.dump(found, sys.stdout, indent=2, ensure_ascii=False)
        print()
    else:
        text(found)
    sys.exit(0 if all(holds for _, _, _, holds in budgets(found)) else 1)


if __name__ == "__main__":
    main()
