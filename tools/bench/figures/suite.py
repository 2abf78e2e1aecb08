"""Runs every section and writes the figures.

usage: suite --built DIR --bench DIR --out DIR [--long | --quick] [SECTION …]
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from . import machine

SECTIONS = ["cost", "activity", "resident", "looks", "accuracy", "store", "scale", "others"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--built", required=True)
    parser.add_argument("--bench", required=True)
    parser.add_argument("--out", required=True)
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--long", action="store_true")
    length.add_argument("--quick", action="store_true")
    parser.add_argument("sections", nargs="*")
    arguments = parser.parse_args()
    chosen = arguments.sections or SECTIONS
    unknown = [name for name in chosen if name not in SECTIONS]
    if unknown:
        print(f"run: no section '{unknown[0]}'; there are {', '.join(SECTIONS)}", file=sys.stderr)
        sys.exit(2)
    figures = {"machine": machine.describe(), "long": arguments.long, "quick": arguments.quick,
               "sections": []}
    began = time.monotonic()
    for name in chosen:
        print(f"{name}, after {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(prefix="stallwatch-bench-") as directory:
            done = subprocess.run(
                [sys.executable, "-m", f"figures.{name}", "--built", arguments.built, "--bench", arguments.bench,
                 "--directory", directory, *(["--long"] if arguments.long else []),
                 *(["--quick"] if arguments.quick else [])], stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            print(f"run: section {name} failed", file=sys.stderr)
            sys.exit(3)
        figures["sections"].append(json.loads(done.stdout))
    figures["seconds"] = round(time.monotonic() - began)
    out = pathlib.Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "figures.json").write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    (out / "figures.md").write_text(markdown(figures), encoding="utf-8")
    budgets = [budget for section in figures["sections"] for budget in section["budgets"]]
    for budget in budgets:
        print(f"{verdict(budget):7} {budget['budget']}: {budget['measured']} (budget: {budget['limit']})")
    print(f"wrote {out / 'figures.md'} and {out / 'figures.json'}, after {figures['seconds']} s of measuring")
    sys.exit(0 if all(budget["holds"] for budget in budgets) else 1)


def verdict(budget):
    return {True: "pass", False: "FAIL", None: "unknown"}[budget["holds"]]


def markdown(figures):
    lines = ["# Figures", "", *(f"- {key}: {value}" for key, value in figures["machine"].items()), ""]
    budgets = [budget for section in figures["sections"] for budget in section["budgets"]]
    lines += table(["budget", "limit", "measured", ""],
                   [[budget["budget"], budget["limit"], budget["measured"], verdict(budget)] for budget in budgets])
    for section in figures["sections"]:
        lines += ["", f"## {section['title']}"]
        for one in section["tables"]:
            lines += ["", f"### {one['title']}", "", one["note"], "", *table(one["columns"], one["rows"])]
    return "\n".join(lines) + "\n"


def table(columns, rows):
    def line(cells):
        return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"

    return [line(columns), "|" + " --- |" * len(columns), *map(line, rows)]


if __name__ == "__main__":
    main()
