"""A fleet in ClickHouse, and the stores that were shipped to it: every question has one answer."""

import json
import pathlib
import subprocess
import tempfile
import unittest

from Tests.Pages.recording import BUILT
from tools.fleet import clickhouse

EVERYTHING = "arguments,hosts,annotations,targets,paths"
QUESTIONS = [
    ["report"], ["report", "--release", "2.0", "--lane", "images"], ["report", "--last", "1d"],
    ["causes"], ["causes", "--environment", "production"], ["cause", "Feed.decode(_:)"],
    ["diff", "--base", "1.0", "--new", "2.0"],
]


def stallwatch(*words):
    """Runs the command and returns what it said."""
    done = subprocess.run([BUILT / "stallwatch", *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"stallwatch {words}: {done.returncode}: {done.stderr}")
    return done.stdout


def answer(question, source):
    """What a question's answer has beside where its stalls lie."""
    found = json.loads(stallwatch("fleet", *question, "--from", source, "--format", "json"))
    for example in found.get("examples", []):
        example.pop("store")
        example.pop("command")
    return found


class Sources(unittest.TestCase):
    def test_both_say_the_same(self):
        with tempfile.TemporaryDirectory() as directory:
            stores = pathlib.Path(directory) / "stores"
            subprocess.run([BUILT / "fleet-maker", stores, "8", "4", "5", "1.5", "1"], check=True)
            with clickhouse.servers(pathlib.Path(directory) / "servers", 1) as servers:
                url = f"{servers[0].url}/fleet"
                stallwatch("fleet", "migrate", "--to", url)
                # Twice: what comes again counts once.
                for state in ["one", "two"]:
                    stallwatch("ship", stores, "--to", url, "--allow", EVERYTHING, "--state", f"{directory}/{state}")
                for question in QUESTIONS:
                    with self.subTest(question=question):
                        self.assertEqual(answer(question, stores), answer(question, url))


if __name__ == "__main__":
    unittest.main()
