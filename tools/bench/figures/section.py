"""What every section of the suite is made of: tables and budgets, printed as one JSON object."""

import argparse
import dataclasses
import json
import os
import subprocess
import sys


@dataclasses.dataclass
class Table:
    """Rows of text under columns of text; `note` says what they mean and how they were made."""

    title: str
    columns: list
    rows: list
    note: str = ""


@dataclasses.dataclass
class Budget:
    """A limit of the design, what was measured, and whether it holds; None where it could not be measured."""

    budget: str
    limit: str
    measured: str
    holds: bool | None


@dataclasses.dataclass
class Section:
    """A part of the suite. `long` asks for the long run, `quick` for a short one where the section has one; `built` holds
    the root package's release programs, `bench` this package's; `directory` is a place for files that is gone
    afterwards."""

    title: str
    built: str
    bench: str
    directory: str
    long: bool
    quick: bool = False
    tables: list = dataclasses.field(default_factory=list)
    budgets: list = dataclasses.field(default_factory=list)

    @classmethod
    def from_arguments(cls, title):
        parser = argparse.ArgumentParser(description=title)
        parser.add_argument("--built", required=True, help="where the root package's release programs are")
        parser.add_argument("--bench", required=True, help="where this package's release programs are")
        parser.add_argument("--directory", required=True, help="a directory for this section's files")
        parser.add_argument("--long", action="store_true", help="the long run")
        parser.add_argument("--quick", action="store_true", help="a shorter run, where the section has one")
        arguments = parser.parse_args()
        os.makedirs(arguments.directory, exist_ok=True)
        return cls(title, arguments.built, arguments.bench, arguments.directory, arguments.long,
                   arguments.quick)

    def table(self, title, columns, rows, note=""):
        self.tables.append(Table(title, columns, rows, note))

    def budget(self, budget, limit, measured, holds):
        self.budgets.append(Budget(budget, limit, measured, holds))

    def print(self):
        json.dump({"title": self.title, "tables": [dataclasses.asdict(table) for table in self.tables],
                   "budgets": [dataclasses.asdict(budget) for budget in self.budgets]}, sys.stdout)
        print()


def progress(text):
    """Says on stderr what is being measured."""
    print(f"  {text}", file=sys.stderr, flush=True)


def run(*command, may_fail=(), **options):
    """Runs a command and returns its output; a command that fails, other than by a status in `may_fail`, ends the section
    with what it said."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode not in (0, *may_fail):
        sys.exit(f"{' '.join(str(word) for word in command)} failed with {done.returncode}: {done.stderr.strip()}")
    return done.stdout
