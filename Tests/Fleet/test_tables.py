"""The fleet's tables and questions: on one server of Debian's ClickHouse, on two shards of it, and in today's dialect.

Rows arrive twice, out of order, and with older versions of themselves; every question must give what plain sums in Python give.
"""

import collections
import contextlib
import itertools
import math
import pathlib
import re
import tempfile
import unittest

from Tests.Fleet.places import EVERYTHING, MIGRATIONS, QUERIES, Place, ask, migrate
from Tests.Fleet.rows import SIGNATURES, START, HOUR, Fleet, flat, merged
from tools.fleet import clickhouse


class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.addClassCleanup(cls.stack.close)
        cls.folder = pathlib.Path(cls.stack.enter_context(tempfile.TemporaryDirectory()))
        one = cls.stack.enter_context(clickhouse.servers(cls.folder / "one", 1))
        two = cls.stack.enter_context(clickhouse.servers(cls.folder / "two", 2))
        today = cls.stack.enter_context(clickhouse.chdb(cls.folder))
        cls.fleet = Fleet(seed=17)
        cls.places = [Place("one server", one), Place("two shards", two, clickhouse.CLUSTER), Place("chDB", [today])]
        for place in cls.places:
            place.fill(cls.fleet)
        first, last = START + 5 * HOUR, START + 25 * HOUR
        cls.filters = [
            EVERYTHING, {**EVERYTHING, "releases": ["1.1"]}, {**EVERYTHING, "since": first, "until": last},
            {**EVERYTHING, "environments": ["test"], "lanes": ["it's a \\ \t lane"], "since": first},
            {**EVERYTHING, "service": "'); DROP"},
        ]

    def check(self, name, expected, filters=None, **more):
        """Asks everywhere and with every filter; `expected` makes of a filter the rows that must come, in any order."""
        for given in filters or self.filters:
            wanted = list(expected(given))
            for place in self.places:
                for server in place.servers:
                    with self.subTest(place=place.name, question=name, filter=given):
                        found = ask(server, name, **given, **more)
                        self.assertEqual(sorted(map(repr, found)), sorted(map(repr, wanted)))

    @staticmethod
    def figures(rows):
        """What a question says of rows of lanes, beside their histograms."""
        total = lambda name: sum(row[name] for row in rows)  # noqa: E731
        return {
            "watched": total("watched_ns"), "busy": total("busy_ns"), "turns": total("iterations"),
            "stall_count": total("stalls"), "stalled": total("stalled_ns"), "hang_count": total("hangs"), "hang": total("hang_ns"),
            "worst": max(row["worst_ns"] for row in rows), "no_cause": total("unattributed"),
            "first": min(row["hour"] for row in rows) // HOUR, "last": max(row["hour"] for row in rows) // HOUR}

    def test_lanes_of_units_have_their_exposure_and_their_histograms(self):
        def expected(given):
            groups = collections.defaultdict(list)
            for row in self.fleet.admitted("activity", given):
                groups[(*self.fleet.unit(row), row["lane_name"], row["is_main"])].append(row)
            for (release, environment, instance, lane, main), rows in groups.items():
                spans, delays = merged(row["span"] for row in rows), merged(row["delay"] for row in rows)
                yield {
                    "release": release, "environment": environment, "instance": instance, "lane": lane, "kind": "run loop", "main": main,
                    **self.figures(rows), "span_buckets": spans[0], "span_counts": spans[1], "delay_buckets": delays[0],
                    "delay_counts": delays[1]}

        self.check("unit_lanes", expected)

    def test_lanes_of_all_instances_have_the_sums_of_these(self):
        for given in self.filters:
            groups = collections.defaultdict(list)
            for row in self.fleet.admitted("activity", given):
                groups[(row["release"], row["environment"], row["lane_name"], row["is_main"])].append(row)
            wanted = {key: {**self.figures(rows), "kind": "run loop"} for key, rows in groups.items()}
            counters = {
                (measure, *key): dict(zip(*merged(row[("span", "delay")[measure]] for row in rows)))
                for key, rows in groups.items() for measure in (0, 1)}
            for place in self.places:
                with self.subTest(place=place.name, filter=given):
                    found, keys = {}, {}
                    for row in ask(place.servers[-1], "lanes", **given):
                        key = tuple(row.pop(name) for name in ("release", "environment", "lane", "main"))
                        keys[row.pop("lanes")] = key
                        found[key] = row
                    self.assertEqual(found, wanted)
                    histograms = collections.defaultdict(dict)
                    for row in ask(place.servers[0], "histograms", **given):
                        histograms[(row["measure"], *keys[row["lanes"]])][row["bucket"]] = row["records"]
                    self.assertEqual(histograms, {key: value for key, value in counters.items() if value})

    def test_parts_have_their_instances_and_how_these_differ(self):
        def spreads(given, main):
            parts = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0, 0]))
            for row in self.fleet.admitted("activity", given):
                members = [("fleet", ""), ("lane", row["lane_name"])]
                if row["is_main"] or not main:
                    members += [("all", ""), ("release", row["release"]), ("environment", row["environment"])]
                for member in members:
                    sums = parts[member][row["instance"]]
                    for place, name in enumerate(("watched_ns", "hang_ns", "hangs")):
                        sums[place] += row[name]
            return parts

        for given, main in itertools.product(self.filters, (0, 1)):
            wanted = spreads(given, main)
            for place in self.places:
                with self.subTest(place=place.name, filter=given, main=main):
                    more = {"item_kinds": ["queue"], "only_main": main}
                    found = {(row.pop("part"), row.pop("name")): row for row in ask(place.servers[-1], "spreads", **given, **more)}
                    self.assertEqual(set(found), set(wanted))
                    for member, instances in wanted.items():
                        watched, hang, hangs = (sum(values) for values in zip(*instances.values()))
                        row = found[member]
                        self.assertEqual(
                            (row["instances"], row["used"], row["watched_sum"], row["hang_sum"], row["hangs_sum"]),
                            (len(instances), len(instances), watched, hang, hangs))
                        for column, total, part in (("hang_squares", hang, 1), ("hangs_squares", hangs, 2)):
                            squares = sum((values[part] - total / watched * values[0]) ** 2 for values in instances.values())
                            self.assertAlmostEqual(float(row[column]), squares, delta=1e-6 * squares + 1e-6)
                    ranked = sorted(((-hang / watched, name, watched, hang, hangs)
                                     for name, (watched, hang, hangs) in wanted.get(("all", ""), {}).items()))
                    self.assertEqual(
                        [(row["instance"], row["watched"], row["hang"], row["hang_count"])
                         for row in ask(place.servers[0], "worst", **given, **more, least_watched=1, limit=3)],
                        [tuple(row[1:]) for row in ranked[:3]])
        # Of lanes of items a long one is no hang, and who was watched for a moment is no news.
        for place in self.places:
            self.assertEqual(
                ask(place.servers[0], "worst", **EVERYTHING, item_kinds=["run loop"], only_main=0, least_watched=1, limit=9), [])
            self.assertEqual(
                ask(place.servers[0], "worst", **EVERYTHING, item_kinds=[], only_main=0, least_watched=1 << 60, limit=9), [])
            parts = {row["part"] for row in ask(place.servers[0], "spreads", **EVERYTHING, item_kinds=["run loop"], only_main=0)}
            self.assertEqual(parts, {"fleet", "lane"})

    def causes(self, given):
        """The hours and the stalls of each signature that come with rows of lanes, with these."""
        for row in self.fleet.admitted("activity", given):
            for place, signature in enumerate(row["cause"]["signature"]):
                yield row, signature, {part: values[place] for part, values in row["cause"].items()}

    @staticmethod
    def stalls(values):
        return {"stall_count": sum(value["stalls"] for value in values), "total": sum(value["total_ns"] for value in values),
                "worst": max(value["worst_ns"] for value in values), "first": min(value["first_ns"] for value in values),
                "last": max(value["last_ns"] for value in values)}

    def test_causes_have_their_stalls(self):
        def of_units(given):
            groups = collections.defaultdict(list)
            for row, signature, value in self.causes(given):
                groups[(*self.fleet.unit(row), signature)].append(value)
            for (release, environment, instance, signature), values in groups.items():
                if not self.asked or signature in self.asked:
                    yield {"release": release, "environment": environment, "instance": instance, "signature": signature,
                           **self.stalls(values)}

        def of_all(given):
            groups = collections.defaultdict(list)
            for row, signature, value in self.causes(given):
                groups[(signature, row["release"])].append(value)
            for (signature, release), values in groups.items():
                yield {"signature": signature, "release": release, **self.stalls(values)}

        for self.asked in ([], SIGNATURES[:2]):
            self.check("unit_causes", of_units, signatures=self.asked)
        self.check("causes", of_all)

    def test_causes_reach_instances_and_hours_each_of_which_counts_once(self):
        # Two signatures are one cause, and one is not asked about.
        numbers = dict(zip(SIGNATURES, (1, 1, 2)))
        for kept in (SIGNATURES, SIGNATURES[:2]):
            more = {"signatures": kept, "numbers": [numbers[signature] for signature in kept]}
            for given in self.filters:
                instances, hours = collections.defaultdict(set), collections.defaultdict(set)
                for row, signature, _ in self.causes(given):
                    if signature in kept:
                        number = numbers[signature]
                        instances[(number, f"r{row['release']}")].add(row["instance"])
                        instances[(number, "")].add(row["instance"])
                        hours[number].add((row["hour"], row["instance"]))
                for place in self.places:
                    with self.subTest(place=place.name, filter=given, kept=kept):
                        found = ask(place.servers[-1], "reach", **given, **more)
                        self.assertEqual(
                            {(row["number"], row["in_release"]): row["instances"] for row in found if row["number"]},
                            {key: len(value) for key, value in instances.items()})
                        found = ask(place.servers[0], "hours", **given, **more)
                        self.assertEqual(
                            {row["number"]: row["instance_hours"] for row in found if row["number"]},
                            {key: len(value) for key, value in hours.items()})

    def test_sessions_and_what_is_missing(self):
        def admitted(given):
            for row in self.fleet.admitted("sessions", {**given, "since": 0}, "at"):
                if (row["started_ns"] + row["duration_ns"]) // 10**9 >= given["since"]:
                    yield row

        def sessions(given):
            rows = list(admitted(given))
            total = lambda name: sum(row[name] for row in rows)  # noqa: E731
            yield {
                "session_count": len(rows), "killed": sum(row["ended"] == "killed" for row in rows), "duration": total("duration_ns"),
                "unobserved": total("unobserved_ns"), "excluded": total("excluded_ns")}

        def thresholds(given):
            for release, environment, instance in {self.fleet.unit(row) for row in admitted(given)}:
                yield {"release": release, "environment": environment, "instance": instance, "threshold": 50_000_000}

        def losses(given):
            sums = collections.Counter()
            for row in admitted(given):
                for what, count in zip(row["loss"]["what"], row["loss"]["count"]):
                    sums[what] += count
            for what, count in sums.items():
                yield {"what": what, "records": count}

        filters = [{**given, "lanes": []} for given in self.filters]
        self.check("sessions", sessions, filters)
        self.check("unit_thresholds", thresholds, filters)
        self.check("losses", losses, filters)

    def test_stalls_and_how_long_they_last(self):
        def stalls(given):
            for row in self.fleet.admitted("stalls", given, "at"):
                yield {"release": row["release"], "environment": row["environment"], "instance": row["instance"],
                       "session": row["session"], "number": row["number"], "lane": row["lane_name"], "signature": row["signature"],
                       "started_ns": row["started_ns"], "duration_ns": row["duration_ns"]}

        self.check("stalls", stalls)
        for given in self.filters:
            groups = collections.defaultdict(list)
            for row in self.fleet.admitted("stalls", given, "at"):
                groups[(*self.fleet.unit(row), row["signature"])].append(row["duration_ns"])
            for place in self.places:
                with self.subTest(place=place.name, filter=given):
                    found = ask(place.servers[0], "durations", **given)
                    self.assertEqual(len(found), len(groups))
                    for row in found:
                        durations = groups[tuple(row[name] for name in ("release", "environment", "instance", "signature"))]
                        self.assertEqual((row["stall_count"], row["total"], row["worst"]), (len(durations), sum(durations), max(durations)))
                        self.assertAlmostEqual(float(row["logs"]), sum(map(math.log, durations)), places=6)
                        self.assertAlmostEqual(float(row["squared_logs"]), sum(math.log(one) ** 2 for one in durations), places=5)

    def test_examples_are_the_longest_of_each_instance_and_then_the_rest(self):
        given = {**EVERYTHING, "signatures": SIGNATURES[:2]}
        rows = [row for row in self.fleet.rows["stalls"] if row["signature"] in SIGNATURES[:2]]
        rows.sort(key=lambda row: (-row["duration_ns"], row["session"], row["number"]))
        turns, ranked = collections.Counter(), []
        for row in rows:
            ranked.append((turns[row["instance"]], -row["duration_ns"], row["session"], row["number"]))
            turns[row["instance"]] += 1
        wanted = {(session, number) for _, _, session, number in sorted(ranked)[:10]}
        for place in self.places:
            with self.subTest(place=place.name):
                found = ask(place.servers[0], "examples", **given)
                self.assertLessEqual(wanted, {(row["session"], row["number"]) for row in found})
                self.assertLessEqual(len(found), 110)
                self.assertEqual(len(found), len({(row["session"], row["number"]) for row in found}))

    def test_names_stacks_and_timers(self):
        def stacks(given):
            sums = collections.defaultdict(lambda: [0, 0])
            for row in self.fleet.admitted("stack_times", given):
                for signature, stack, looks, weight in zip(*row["time"].values()):
                    if signature == SIGNATURES[0] or signature == SIGNATURES[1]:
                        sums[stack] = [sums[stack][0] + looks, sums[stack][1] + weight]
            for stack, (looks, weight) in sums.items():
                yield {"stack": stack, "look_count": looks, "weight": weight}

        filters = [{**given, "lanes": []} for given in self.filters]
        self.check("stacks", stacks, filters, signatures=SIGNATURES[:2])
        self.check("frames", lambda given: [{"stack": row["stack"], "frames": row["frames"]} for row in self.fleet.rows["stacks"][1:]],
                   [EVERYTHING], stacks=[2, (1 << 64) - 1])
        self.check("signatures", lambda given: [{name: value for name, value in row.items() if name != "service"}
                                                for row in self.fleet.rows["signatures"][:2]],
                   [EVERYTHING], signatures=SIGNATURES[:2])

        def timers(given):
            groups = collections.defaultdict(list)
            for row in self.fleet.admitted("timers", given, "at"):
                groups[(row["release"], row["lane_name"], row["timer"])].append(row)
            for (release, lane, timer), rows in groups.items():
                late = merged(row["lateness"] for row in rows)
                yield {"release": release, "lane": lane, "timer": timer, "instances": len({row["instance"] for row in rows}),
                       "due_count": 100 * len(rows), "fired_count": 98 * len(rows), "dropped_count": 2 * len(rows),
                       "lateness_buckets": late[0], "lateness_counts": late[1]}

        self.check("timers", timers)

        def names(_):
            found = collections.defaultdict(int)
            for row in self.fleet.rows["activity"]:
                key = (row["service"], row["release"], row["environment"], row["lane_name"])
                found[key] = max(found[key], row["hour"])
            for (service, release, environment, lane), newest in found.items():
                yield {"service": service, "release": release, "environment": environment, "lane": lane, "newest": newest // HOUR}

        self.check("names", names, [{}])

    def test_every_question_is_asked_here(self):
        asked = set(re.findall(r'(?:check|ask)\((?:place\.servers\[-?\d\], )?"(\w+)"', pathlib.Path(__file__).read_text(encoding="utf-8")))
        self.assertEqual(asked, {path.stem for path in QUERIES.glob("*.sql")})

    def test_a_repeated_migration_changes_nothing(self):
        for place in self.places:
            with self.subTest(place=place.name):
                self.assertIn("migrated to 1 (rows)", place.said)
                server = place.servers[0]
                before = server.query("SELECT count(), sum(version) FROM activity FINAL", database="fleet")
                self.assertIn("the tables were there", migrate(*place.words))
                self.assertEqual(server.query("SELECT count(), sum(version) FROM activity FINAL", database="fleet"), before)
                self.assertEqual(int(server.query("SELECT count() FROM schema_migrations", database="fleet")), 1)

    def test_rows_of_a_session_meet_on_one_shard(self):
        shards = self.places[1].servers
        for table in ("activity", "stalls", "stack_times", "sessions", "timers"):
            found = [{row[0] for row in server.rows(f"SELECT DISTINCT session FROM {table}_local", database="fleet")} for server in shards]
            self.assertFalse(found[0] & found[1])
            self.assertEqual(len(found[0] | found[1]), len(self.fleet.rows["sessions"]))
        for table, key in (("signatures", "signature"), ("stacks", "stack")):
            found = [{row[0] for row in server.rows(f"SELECT DISTINCT {key} FROM {table}_local", database="fleet")} for server in shards]
            self.assertFalse(found[0] & found[1])

    def test_a_newer_schema_is_refused(self):
        server = self.places[2].servers[0]
        migrate("--to", f"{server.url}/newer")
        server.query("INSERT INTO schema_migrations SELECT 99, 'later', now()", database="newer")
        self.assertIn("use a newer stallwatch", migrate("--to", f"{server.url}/newer", code=2))

    def test_age_removes_rows_where_a_server_can(self):
        old, today = self.places[0].servers[0], self.places[2].servers[0]
        self.assertIn("DROP PARTITION", migrate("--to", f"{old.url}/aged", "--keep", "30d", code=2))
        self.assertEqual(old.query("SELECT count() FROM system.databases WHERE name = 'aged'"), "0\n")
        migrate("--to", f"{today.url}/aged", "--keep", "30d")
        migrate("--to", f"{today.url}/aged", "--keep", "7d")
        stall = self.fleet.rows["stalls"][0]
        for at in (1_000_000_000, 4_000_000_000):
            today.query("INSERT INTO stalls FORMAT JSONEachRow", body=flat({**stall, "at": at}).encode(), database="aged")
        today.query("OPTIMIZE TABLE stalls FINAL", database="aged")
        self.assertEqual(today.query("SELECT toUInt32(at) FROM stalls", database="aged"), "4000000000\n")

    def test_a_rehearsal_prints_what_would_run_and_asks_nobody(self):
        said = migrate("--to", "http://127.0.0.1:1/fleet", "--cluster", "x", "--keep", "90d", "--dry-run")
        server = self.places[2].servers[0]
        self.assertIn("ON CLUSTER `x`", said)
        self.assertIn("MODIFY TTL hour + INTERVAL 90 DAY", said)
        tables = re.findall(r"^CREATE TABLE IF NOT EXISTS (\w+)", (MIGRATIONS / "001-rows.sql").read_text(encoding="utf-8"), re.MULTILINE)
        for table in tables:
            self.assertIn(f"`{table}` ON CLUSTER `x` AS `fleet`.`{table}_local`", said)
        plain = migrate("--to", "http://127.0.0.1:1/rehearsed", "--dry-run")
        for statement in filter(str.strip, plain.split(";\n")):
            server.query(statement, **({} if "CREATE DATABASE" in statement else {"database": "rehearsed"}))


if __name__ == "__main__":
    unittest.main()
