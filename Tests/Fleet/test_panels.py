"""Grafana's panels and alerts over a fleet's tables: each query gives what its panel shows, with two shards and in today's dialect.

Grafana itself is not run: what it puts in the place of its variables and macros is put there here."""

import contextlib
import pathlib
import re
import tempfile
import time
import unittest

from Tests.Dashboards.test_dashboards import builder
from Tests.Fleet.rows import HOUR, LANES, START, Fleet, merged
from Tests.Fleet.places import Place
from tools.fleet import clickhouse

NOW = START + 20 * HOUR + 600


def filled(text, now=NOW):
    """What Grafana sends: a range of two days until `now`, one service, two environments."""
    text = re.sub(r"\$__timeFilter\((\w+)\)", rf"\1 >= toDateTime({now - 2 * 86400}) AND \1 <= toDateTime({now})", text)
    text = text.replace("${service:sqlstring}", "'shop'").replace("${environment:sqlstring}", "'production','test'")
    assert "$" not in text, text
    return text.replace("now()", f"toDateTime({now})")


def highest(place):
    """The end of a counter, as Core's HistogramLayout has it."""
    place += 1
    return place * 256 if place < 256 else ((place & 127) + 128) << ((place >> 7) + 7)


class Panels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.addClassCleanup(cls.stack.close)
        folder = pathlib.Path(cls.stack.enter_context(tempfile.TemporaryDirectory()))
        cls.fleet, cls.build = Fleet(seed=4, hours=24), builder()
        two = cls.stack.enter_context(clickhouse.servers(folder, 2))
        today = cls.stack.enter_context(clickhouse.chdb(folder))
        cls.places = [Place("two shards", two, clickhouse.CLUSTER), Place("chDB", [today])]
        for place in cls.places:
            place.fill(cls.fleet)

    def answers(self, query, now=NOW):
        """The answer at each place: columns and rows."""
        for place in self.places:
            with self.subTest(place=place.name, query=query.name):
                lines = place.servers[0].query(filled(query.text, now) + " FORMAT TabSeparatedWithNames", database="fleet").splitlines()
                yield lines[0].split("\t"), [line.split("\t") for line in lines[1:]]

    def panel(self, name):
        return next(query for query in self.build.queries("clickhouse/panels", "--") if query.name == name)

    def test_every_panel_gives_what_it_shows(self):
        found = self.build.queries("clickhouse/panels", "--")
        self.assertGreater(len(found), 9)
        for query in found:
            self.assertTrue(query.title)
            self.assertIn(query.chart, ("metric", "lines", "table"))
            for columns, rows in self.answers(query):
                self.assertTrue(rows)
                for axis in (query.x, query.y, query.series):
                    if axis:
                        self.assertIn(axis, columns)
                if query.chart == "lines":
                    for row in rows:
                        time.strptime(row[columns.index("time")], "%Y-%m-%d %H:%M:%S")
                if query.y:
                    self.assertTrue(all(float(row[columns.index(query.y)]) > 0 for row in rows), rows)

    def test_figures_are_the_truth(self):
        rows = [row for row in self.fleet.rows["activity"] if row["hour"] <= NOW and row["lane_name"] == LANES[0]]
        rate = sum(row["hang_ns"] for row in rows) / sum(row["watched_ns"] for row in rows) * 3600
        for _, found in self.answers(self.panel("hang-rate")):
            self.assertAlmostEqual(float(found[0][0]), rate, places=12)
        wanted = {}
        for hour in {row["hour"] for row in rows}:
            for release in ("1.0", "1.1"):
                buckets, counts = merged(row["span"] for row in rows if (row["hour"], row["release"]) == (hour, release))
                total, total_so_far = sum(counts), 0
                for bucket, count in zip(buckets, counts):
                    total_so_far += count
                    if total_so_far >= 0.99 * total:
                        moment = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(hour))
                        wanted[moment, release] = highest(bucket) / 1e6
                        break
        for _, found in self.answers(self.panel("span-p99")):
            self.assertEqual({(moment, release): float(value) for moment, release, value in found}, wanted)
        causes = {}
        for row in self.fleet.rows["activity"]:
            if row["hour"] <= NOW:
                for signature in row["cause"]["signature"]:
                    causes.setdefault(signature, set()).add((row["instance"], row["hour"]))
        for columns, found in self.answers(self.panel("causes")):
            for row in found:
                of = dict(zip(columns, row))
                self.assertEqual(of["cause"], f"title of {of['signature']}")
                self.assertEqual(int(of["instance_hours"]), len(causes[of["signature"]]))
            self.assertEqual(len(found), len(causes))

    def test_alerts_fire_when_they_must(self):
        alerts = {query.name: query for query in self.build.queries("clickhouse/alerts", "--")}
        for query in alerts.values():
            self.assertTrue(query.title and query.summary and query.head["for"])
        for (name, now), fires in {
                ("hang-rate", NOW): False, ("new-cause", NOW): True, ("new-cause", START + 6 * 86400): False,
                ("lost-records", NOW): True, ("lost-records", START + 10 * 86400): False, ("silent", NOW): False,
                ("silent", START + 3 * 86400): True}.items():
            query = alerts[name]
            for columns, rows in self.answers(query, now):
                values = [float(row[columns.index("value")]) for row in rows]
                with self.subTest(query=name, now=now):
                    self.assertEqual(any(value > float(query.above) for value in values), fires, rows)


if __name__ == "__main__":
    unittest.main()
