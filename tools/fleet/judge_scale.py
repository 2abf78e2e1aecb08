"""tools/judge/fleet-scale says what this is."""

import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from tools.fleet import clickhouse

ROOT = pathlib.Path(__file__).resolve().parents[2]
# A Monday, in seconds since 1970, and the hours of a week.
START, HOURS = 1_772_409_600, 168
# Stalls of an hour of a lane, and causes that have them.
STALLS, CAUSES = 75, 10
# A second for a screen that somebody waits for; the best of so many times.
LIMIT, ROUNDS = 1.0, 5
# What `ship` must deliver at least, in stalls a second, and may take at most, in kB.
FASTEST, MEMORY = 50_000, 60_000
# The stalls of an instance on a day that nobody complains about, and the tables that its `ship` adds to at every look.
CALM_DAY, INSERTED = 100, ("activity", "stalls", "stack_times", "sessions")
QUERIES = ROOT / "dashboards" / "clickhouse" / "queries"
# What the report asks, in its order.
ASKED = ["names", "lanes", "histograms", "spreads", "worst", "sessions", "losses", "causes", "signatures", "reach", "hours"]
ORIGIN = """
  'feed' AS service, if(h >= 84, '2.0', '1.0') AS release, if(i % 5 = 0, 'staging', 'production') AS environment,
  concat('host-', toString(i)) AS instance, cityHash64(i, intDiv(h, 24)) AS session
"""
KEYS = f"arrayMap(x -> lower(hex(toUInt32(cityHash64(x, l)))), range({CAUSES}))"


def numbers(instances):
    """Every hour of every lane, as `i`, `h` and `l`."""
    lanes = instances * HOURS * 2
    return f"(SELECT intDiv(number, {HOURS * 2}) AS i, intDiv(number % {HOURS * 2}, 2) AS h, number % 2 AS l FROM numbers({lanes}))"


def activity(instances):
    return f"""
    INSERT INTO activity SELECT {ORIGIN}, toDateTime({START} + h * 3600, 'UTC'), toUInt32(l), if(l = 0, 'main', 'images'),
      if(l = 0, 'runloop', 'queue'), l = 0, 3600000000000, 360000000000, 36000, {STALLS}, {STALLS} * 120000000, 5, 2000000000,
      800000000, 0, arrayMap(x -> toUInt16(1000 + x * 7), range(40)), arrayMap(x -> 1 + cityHash64(i, h, x) % 900, range(40)),
      emptyArrayUInt16(), emptyArrayUInt64(), {KEYS}, arrayMap(x -> toUInt64(7 + (x < 5)), range({CAUSES})),
      arrayMap(x -> toUInt64(900000000), range({CAUSES})), arrayMap(x -> 100000000 + cityHash64(i, h, x) % 700000000, range({CAUSES})),
      arrayMap(x -> toUInt64({START} + h * 3600 + x) * 1000000000, range({CAUSES})),
      arrayMap(x -> toUInt64({START} + h * 3600 + 3000 + x) * 1000000000, range({CAUSES})), 1
    FROM {numbers(instances)}"""


def stalls(instances, part, parts):
    return f"""
    INSERT INTO stalls SELECT {ORIGIN}, toDateTime({START} + h * 3600 + n * 47, 'UTC'),
      toUInt64({START} + h * 3600 + n * 47) * 1000000000 + cityHash64(i, h, n) % 1000000000, h % 24 * 1000 + l * 100 + n, toUInt32(l),
      if(l = 0, 'main', 'images'), 'stall', 'ended', 'long', 'kCFRunLoopDefaultMode', 'service',
      50000000 + cityHash64(n, i, h) % 500000000, 50000000, 0, 0, lower(hex(toUInt32(cityHash64(n % {CAUSES}, l)))), '', '',
      emptyArrayString(), emptyArrayString(), 1
    FROM {numbers(instances)} ARRAY JOIN range({STALLS}) AS n WHERE i % {parts} = {part}"""


def signatures():
    return f"""
    INSERT INTO signatures SELECT 'feed', lower(hex(toUInt32(cityHash64(number % {CAUSES}, intDiv(number, {CAUSES}))))),
      concat('Feed.step', toString(number), '()'), concat('Feed.step', toString(number), '()'), 'Sources/Feed/Feed.swift',
      toUInt32(number + 1), '', '', '', ['main'], 1 FROM numbers({CAUSES * 2})"""


def sessions(instances):
    columns = ("service, release, environment, instance, session, at, started_ns, duration_ns, ended, exit_status, threshold_ns, "
               "platform, version")
    return f"""
    INSERT INTO sessions ({columns}) SELECT {ORIGIN}, toDateTime({START} + h * 3600, 'UTC'), toUInt64({START} + h * 3600) * 1000000000,
      86400000000000, 'clean', 0, 50000000, 'simulated', 1
    FROM (SELECT intDiv(number, 7) AS i, number % 7 * 24 AS h FROM numbers({instances * 7}))"""


def fill(server, database, count):
    """Fills the tables; the number of instances."""
    instances = max(count // (STALLS * HOURS * 2), 1)
    # As many rows at a time as lie in memory; each a part of a day of a batch's would be merged to as much.
    parts = max(instances * HOURS * 2 * STALLS // 2_000_000, 1)
    for statement in (activity(instances), signatures(), sessions(instances)):
        server.query(statement, database=database)
    for part in range(parts):
        server.query(stalls(instances, part, parts), database=database)
        print(f"\r{part + 1} of {parts} parts of stalls", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    # Nothing beside what is measured: a server goes on merging what it was given.
    while server.query("SELECT count() FROM system.merges").strip() != "0":
        time.sleep(1)
    return instances


def best(work):
    times = []
    for _ in range(ROUNDS):
        begun = time.monotonic()
        result = work()
        times.append(time.monotonic() - begun)
    return min(times), result


class Questions:
    """What `fleet report` asks, with what stands for the parameters."""

    def __init__(self, server, database):
        self.server, self.database = server, database
        keys = [key for key, in server.rows("SELECT signature FROM signatures", database=database)]
        self.parameters = {
            "service": "'feed'", "releases": "[]", "environments": "[]", "lanes": "[]", "since": "0", "until": str((1 << 32) - 1),
            "item_kinds": "['queue', 'pool', 'actor', 'pinged']", "only_main": "1", "least_watched": str(1_800 * 10**9), "limit": "10",
            "signatures": str(keys), "numbers": str(list(range(1, len(keys) + 1)))}

    def text(self, name):
        text = (QUERIES / f"{name}.sql").read_text(encoding="utf-8")
        text = re.sub(r"\{(\w+):(Array[^}]+|String)\}", lambda found: f"CAST({self.parameters[found[1]]} AS {found[2]})", text)
        return re.sub(r"\{(\w+):[^}]+\}", lambda found: self.parameters[found[1]], text)

    def report(self):
        """Prints the time of each, and the plan of the slowest."""
        times = {name: best(lambda name=name: self.server.query(self.text(name), database=self.database))[0] for name in ASKED}
        for name, took in times.items():
            print(f"{name}.sql: {took:.3f} s")
        total = sum(times.values())
        print(f"all of them: {total:.3f} s")
        slowest = max(times, key=times.get)
        try:
            plan = self.server.query(f"EXPLAIN actions = 0, indexes = 1 {self.text(slowest)}", database=self.database)
        except clickhouse.Refused:
            plan = "this server explains none\n"
        print(f"plan of {slowest}.sql:\n{plan}", end="")
        return total


def foresee(instances, sizes, seconds):
    """Prints what more instances would take: of hours by the rows that a report reads, of stalls by a calm day's."""
    hours = instances * HOURS * 2
    hour, stall, core = sizes["activity"] / hours, sizes["stalls"] / (hours * STALLS), seconds * os.cpu_count() / hours
    day = 48 * hour + CALM_DAY * stall
    print(f"{hour:.0f} bytes an hour of a lane, {stall:.1f} bytes a stall; {day:,.0f} bytes a day with {CALM_DAY} stalls; "
          f"{core * HOURS * 2 * 1e3:.2f} ms of a core a week of an instance")
    for count in (10_000, 100_000, 1_000_000):
        cores = core * HOURS * 2 * count
        print(f"{count:,} instances: {count * HOURS * 2 / 1e6:.1f} million rows a week, {count * day * 30 / 1e9:.1f} GB in 30 days, "
              f"{cores:.0f} cores for a report in a second, {math.ceil(cores / 16)} shards of 16, {count * len(INSERTED) / 300:,.0f} inserts "
              "a second at one in 5 min")


def ingest(built, folder, url, count):
    """Ships a store of so many stalls; whether it was fast enough and small enough."""
    store = f"{folder}/ingest.stallwatch"
    print(f"writing {count:,} stalls", file=sys.stderr)
    subprocess.run([f"{built}/store-writer", store, str(count)], stdout=subprocess.DEVNULL, check=True)
    command = [f"{built}/stallwatch", "ship", store, "--to", url, "--state", f"{folder}/state"]
    if subprocess.run([f"{built}/stallwatch", "fleet", "migrate", "--to", url], check=False).returncode:
        return False
    begun = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as run:
        _, status, used = os.wait4(run.pid, 0)
    took = time.monotonic() - begun
    print(f"stallwatch ship: {count:,} stalls in {took:.2f} s, {count / took:,.0f} a second; {used.ru_utime + used.ru_stime:.2f} s of CPU, "
          f"{used.ru_maxrss / 1000:.1f} MB")
    return status == 0 and count / took >= FASTEST and used.ru_maxrss <= MEMORY


def main():
    parser = argparse.ArgumentParser(prog="tools/judge/fleet-scale", allow_abbrev=False, description="see the head of the script")
    parser.add_argument("--products", help="a folder with what is built, to build nothing")
    parser.add_argument("--server", action="store_true", help="Debian's ClickHouse")
    parser.add_argument("--ingest", type=int, default=200_000, help="the stalls that are shipped, to see how fast")
    parser.add_argument("stalls", type=int, nargs="?", default=50_000_000)
    arguments = parser.parse_args()
    built = arguments.products or subprocess.run(
        [ROOT / "tools/build/products", "stallwatch", "store-writer"], capture_output=True, text=True, check=False).stdout.strip()
    if not built:
        return 3
    stallwatch, database = f"{built}/stallwatch", "scale"
    with tempfile.TemporaryDirectory() as folder:
        with (clickhouse.servers(folder) if arguments.server else clickhouse.chdb(folder)) as server:
            server = server[0] if arguments.server else server
            url = f"{server.url}/{database}"
            if subprocess.run([stallwatch, "fleet", "migrate", "--to", url], check=False).returncode:
                return 3
            instances = fill(server, database, arguments.stalls)
            print(f"ClickHouse {server.query('SELECT version()').strip()}, {instances} instances")
            sizes = {}
            for table, rows, size in server.rows(
                    f"SELECT table, sum(rows), sum(bytes_on_disk) FROM system.parts WHERE active AND database = '{database}' "
                    "AND table NOT LIKE '%migration%' GROUP BY table ORDER BY table"):
                sizes[table] = int(size)
                print(f"{table}: {int(rows):,} rows, {int(size):,} bytes")
            count, total = instances * HOURS * 2 * STALLS, sum(sizes.values())
            print(f"{total / count:.1f} bytes a stall, {total / instances / 7:,.0f} bytes an instance-day")
            foresee(instances, sizes, Questions(server, database).report())
            command = [stallwatch, "fleet", "report", "--from", url, "--service", "feed", "--format", "json"]
            took, done = best(lambda: subprocess.run(command, capture_output=True, text=True, check=False))
            if done.returncode:
                print(done.stderr)
                return 3
            json.loads(done.stdout)
            print(f"stallwatch fleet report: {took:.2f} s over {count:,} stalls")
            is_fast = took <= LIMIT
            if arguments.ingest:
                is_fast = ingest(built, folder, f"{server.url}/ingest", arguments.ingest) and is_fast
            return 0 if is_fast else 1


if __name__ == "__main__":
    sys.exit(main())
