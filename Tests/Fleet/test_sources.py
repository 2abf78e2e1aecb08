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


# 20,000 causes, whose signatures make a query longer than what a server takes unasked.
MANY = """
INSERT INTO activity (service, release, environment, instance, session, hour, lane, lane_name, lane_kind, is_main, watched_ns, stalls,
  cause.signature, cause.stalls, cause.total_ns, cause.worst_ns, cause.first_ns, cause.last_ns, version)
SELECT 'feed', '1.0', '', concat('host-', toString(number % 7)), number, toDateTime(1772409600, 'UTC'), 1, 'main', 'run loop', 1,
  3600000000000, 100, arrayMap(x -> concat('cause', toString(number * 100 + x)), range(100)),
  arrayMap(x -> toUInt64(1), range(100)), arrayMap(x -> toUInt64(1000 + x), range(100)), arrayMap(x -> toUInt64(1000 + x), range(100)),
  arrayMap(x -> toUInt64(1772409600000000000), range(100)), arrayMap(x -> toUInt64(1772409600000000000), range(100)), 1
FROM numbers(200)"""


class Sources(unittest.TestCase):
    def test_as_many_causes_as_a_query_has_no_room_for(self):
        with tempfile.TemporaryDirectory() as directory:
            with clickhouse.servers(f"{directory}/servers", 1) as servers, clickhouse.chdb(directory) as today:
                for server in [*servers, today]:
                    with self.subTest(server=server.command):
                        url = f"{server.url}/many"
                        stallwatch("fleet", "migrate", "--to", url)
                        server.query(MANY, database="many")
                        causes = answer(["causes"], url)["causes"]
                        self.assertEqual(len(causes), 20_000)
                        self.assertEqual({(cause["stalls"], cause["instances"], cause["instance_hours"]) for cause in causes}, {(1, 1, 1)})

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
