"""The tables of a cluster that has a keeper: one server passes everything on, and shards are replicated."""

import contextlib
import os
import pathlib
import subprocess
import tempfile
import unittest

from Tests.Fleet.rows import Fleet
from Tests.Fleet.places import EVERYTHING, Place, ask, migrate
from tools.fleet import clickhouse


class WithAKeeper(unittest.TestCase):
    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        try:
            more = stack.enter_context(clickhouse.keeper(folder))
        except subprocess.CalledProcessError as error:
            if os.environ.get("CI"):
                raise
            raise unittest.SkipTest("no ZooKeeper") from error
        self.servers = stack.enter_context(clickhouse.servers(folder, 2, more=more))

    def engines(self, server, database):
        return dict(server.rows(f"SELECT name, engine FROM system.tables WHERE database = '{database}'"))

    def test_one_server_passes_on_what_it_is_told(self):
        for replicated in (False, True):
            database = "copies" if replicated else "plain"
            words = ["--cluster", clickhouse.CLUSTER] + (["--replicated"] if replicated else [])
            self.assertIn("migrated", migrate("--to", f"{self.servers[0].url}/{database}", *words))
            self.assertIn("were there", migrate("--to", f"{self.servers[1].url}/{database}", *words))
            found = [self.engines(server, database) for server in self.servers]
            self.assertEqual(found[0], found[1])
            self.assertEqual(found[0]["stalls"], "Distributed")
            self.assertEqual(found[0]["stalls_local"], "ReplicatedReplacingMergeTree" if replicated else "ReplacingMergeTree")

    def test_replicated_tables_hold_rows_once(self):
        place = Place("replicated", self.servers[:1], clickhouse.CLUSTER, "--replicated")
        fleet = Fleet(seed=3, instances=3, hours=4)
        place.fill(fleet)
        for server in self.servers:
            found = ask(server, "lanes", **EVERYTHING)
            self.assertEqual(sum(row["watched"] for row in found), sum(row["watched_ns"] for row in fleet.rows["activity"]))


if __name__ == "__main__":
    unittest.main()
