"""Every file of dashboards/ against a store of the bundled workload: queries, dashboards, rules, scrapes, charts."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import shutil
import socket
import sqlite3
import subprocess
import sys
import time
import unittest
import urllib.parse
import urllib.request

from Tests.Pages import browser
from Tests.Pages.recording import BUILT, ROOT, Folder, record
from Tests.Pages.waiting import wait

DASHBOARDS = ROOT / "dashboards"
ARTEFACTS = ROOT / "artefacts" / "dashboards"


def builder():
    """dashboards/build as a module."""
    loader = importlib.machinery.SourceFileLoader("dashboards_build", str(DASHBOARDS / "build"))
    spec = importlib.util.spec_from_loader("dashboards_build", loader)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def free_port():
    """A port that nobody has now. Somebody may have it when it is used: see `serve`."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answer(url):
    with urllib.request.urlopen(url, timeout=10) as page:
        return page.read().decode()


def tool(name, package):
    """A tool that is installed where it is missing. Without it a test is skipped, in CI it fails."""
    if shutil.which(name):
        return name
    try:
        subprocess.run([ROOT / "tools" / "build" / "prepare", package], check=True, stdout=sys.stderr)
    except subprocess.CalledProcessError as error:
        if os.environ.get("CI"):
            raise
        print(f"{name} is missing: {error}", file=sys.stderr)
        raise unittest.SkipTest(f"no {name}") from error
    return name


class Dashboards(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.build = builder()
        cls.folder = Folder()
        cls.store = record(cls.folder.path, "stallwatch.db", stalls=20, seconds=3)
        ARTEFACTS.mkdir(parents=True, exist_ok=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.close()

    def start(self, *words, **options):
        process = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        return process

    def serve(self, page, words, **options):
        """Starts a server, whose command `words` gives for a port, and waits until it offers `page`; returns the port.

        One that ends has found its port taken, and is started at another."""
        for _ in range(10):
            port = free_port()
            process = self.start(*words(port), **options)

            def offers():
                return process.poll() is not None or answer(f"http://127.0.0.1:{port}/{page}")

            wait(offers)
            if process.poll() is None:
                return port
        raise AssertionError(f"no server: {words(port)}")

    def check(self, connection, query):
        """Runs a query, which has to give what its head says that its panel shows."""
        cursor = connection.execute(query.text)
        columns = [column[0] for column in cursor.description]
        rows = cursor.fetchall()
        self.assertTrue(query.title)
        self.assertIn(query.chart, ("metric", "points", "lines", "bars", "table"))
        for axis in (query.x, query.y, query.series):
            if axis:
                self.assertIn(axis, columns)
        self.assertTrue(rows)
        if query.x == "time":
            for row in rows:
                time.strptime(row[columns.index("time")], "%Y-%m-%dT%H:%M:%SZ")
        if query.y:
            self.assertTrue(all(isinstance(row[columns.index(query.y)], (int, float)) for row in rows))

    def reader(self):
        connection = sqlite3.connect(f"file:{self.store}?mode=ro", uri=True)
        self.addCleanup(connection.close)
        return connection

    def test_every_query_over_a_store_gives_what_its_panel_shows(self):
        found = self.build.queries("queries", "--")
        self.assertGreater(len(found), 12)
        for query in found:
            with self.subTest(query=query.name):
                self.check(self.reader(), query)

    def test_a_broken_query_does_not_pass_that_check(self):
        query = next(one for one in self.build.queries("queries", "--") if one.name == "severities")
        whole, head = query.text, dict(query.head)
        query.text = whole.replace("severity", "sort")
        with self.assertRaises(sqlite3.OperationalError):
            self.check(self.reader(), query)
        query.text = whole.replace("AS stalls", "AS others")
        with self.assertRaises(AssertionError):
            self.check(self.reader(), query)
        query.text = whole.replace("'stall'", "'none'")
        with self.assertRaises(AssertionError):
            self.check(self.reader(), query)
        query.text, query.head = whole, head
        self.check(self.reader(), query)

    def test_figures_are_those_of_the_report(self):
        report = json.loads(subprocess.run([BUILT / "stallwatch", "report", self.store, "--format", "json"], check=True,
                                           capture_output=True, text=True).stdout)
        connection = self.reader()
        values = {query.name: connection.execute(query.text).fetchall() for query in self.build.queries("queries", "--")}
        self.assertEqual(values["stalls"], [(report["stalls"]["count"],)])
        self.assertAlmostEqual(values["held"][0][0], report["stalls"]["total_ns"] / 1e9, places=2)
        self.assertEqual(values["dropped-fires"], [(sum(timer["dropped"] for timer in report["timers"]),)])
        self.assertEqual(sum(count for _, count in values["severities"]), report["stalls"]["count"])

    def test_dashboards_are_what_their_queries_make(self):
        subprocess.run([sys.executable, DASHBOARDS / "build", "--check"], check=True)

    def test_grafana_knows_every_field_of_its_dashboards(self):
        from grafana_foundation_sdk.cog.encoder import JSONEncoder
        from grafana_foundation_sdk.models.dashboard import Dashboard

        def lost(written, kept, path=""):
            if isinstance(written, dict):
                for key, value in written.items():
                    if not isinstance(kept, dict) or key not in kept:
                        yield f"{path}/{key}"
                    else:
                        yield from lost(value, kept[key], f"{path}/{key}")
            elif isinstance(written, list):
                for place, (one, other) in enumerate(zip(written, kept or [])):
                    yield from lost(one, other, f"{path}/{place}")
            elif written != kept:
                yield path

        for name in ("sqlite", "prometheus", "clickhouse"):
            written = json.loads((DASHBOARDS / "grafana" / f"stallwatch-{name}.json").read_text(encoding="utf-8"))
            kept = json.loads(JSONEncoder().encode(Dashboard.from_json(written)))
            self.assertEqual(list(lost(written, kept)), [])
            misspelled = {**written, "titel": "x", "panels": [{**written["panels"][0], "tpye": "x"}]}
            self.assertNotEqual(list(lost(misspelled, json.loads(JSONEncoder().encode(Dashboard.from_json(misspelled))))), [])

    def test_prometheus_rules_are_right(self):
        promtool = tool("promtool", "prometheus")
        folder = DASHBOARDS / "prometheus"
        for words in (["check", "rules", "rules.yml"], ["check", "config", "prometheus.yml"], ["test", "rules", "rules-test.yml"]):
            done = subprocess.run([promtool, *words], cwd=folder, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_real_prometheus_scrapes_a_growing_store_and_answers_every_panel(self):
        tool("prometheus", "prometheus")
        store = os.path.join(self.folder.path, "growing.stallwatch")
        self.start(BUILT / "stallwatch", "record", "-o", store, "--", BUILT / "stallwatch-workload", "--stalls", "400", "--max-stall", "300ms",
                   "--timers", "4", "--for", "600s")
        wait(lambda: os.path.exists(store) and os.path.getsize(store) > 0)
        page = self.serve("metrics", lambda port: (BUILT / "stallwatch", "serve", store, "--metrics", "--port", port))
        wait(lambda: "stallwatch_sessions" in answer(f"http://127.0.0.1:{page}/metrics"))
        folder = os.path.join(self.folder.path, "prometheus")
        os.makedirs(folder)
        shutil.copy(DASHBOARDS / "prometheus" / "rules.yml", folder)
        config = (DASHBOARDS / "prometheus" / "prometheus.yml").read_text(encoding="utf-8")
        # A scrape may take as long as the interval is, and on a busy machine it takes seconds.
        config = config.replace("127.0.0.1:9464", f"127.0.0.1:{page}").replace("scrape_interval: 15s", "scrape_interval: 10s\n  evaluation_interval: 1s")
        pathlib.Path(folder, "prometheus.yml").write_text(config, encoding="utf-8")
        api = self.serve("-/ready", lambda port: (
            "prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
            f"--web.listen-address=127.0.0.1:{port}"))

        def asked(expression):
            text = answer(f"http://127.0.0.1:{api}/api/v1/query?query={urllib.parse.quote(expression)}")
            return json.loads(text)["data"]["result"]

        wait(lambda: asked("stallwatch_sessions"))
        target = json.loads(answer(f"http://127.0.0.1:{api}/api/v1/targets"))["data"]["activeTargets"][0]
        self.assertEqual(target["lastError"], "")
        wait(lambda: asked("sum(increase(stallwatch_stalls_total[1m])) > 0"))
        for query in self.build.queries("prometheus/queries", "#"):
            with self.subTest(query=query.name):
                self.assertTrue(query.title and query.legend)
                # Nothing may have been lost, and then there is nothing to show but blind seconds, which are always told.
                wait(lambda: asked(query.text), what=f"{query.name} gives nothing")
        alerts = json.loads(answer(f"http://127.0.0.1:{api}/api/v1/rules"))["data"]["groups"][0]["rules"]
        self.assertTrue(all(rule["health"] == "ok" for rule in alerts), alerts)

    def test_datasette_draws_every_panel(self):
        driver, chromium = browser.start()
        self.addCleanup(driver.stop)
        self.addCleanup(chromium.close)
        port = self.serve("-/dashboards/stallwatch", lambda port: (
            sys.executable, "-m", "datasette", "serve", "--immutable", self.store, "--metadata",
            DASHBOARDS / "datasette" / "metadata.json", "--host", "127.0.0.1", "--port", port))
        address = f"http://127.0.0.1:{port}/-/dashboards/stallwatch"
        found = self.build.queries("queries", "--")
        with browser.Watched(chromium, width=1400) as watched:
            page = watched.page
            page.goto(address)
            drawn = sum(query.chart in ("points", "lines", "bars") for query in found)
            wait(lambda: page.locator("canvas.marks, svg.marks").count() == drawn)
            page.wait_for_timeout(1000)
            page.screenshot(path=ARTEFACTS / "datasette.png", full_page=True)
            for query in found:
                self.assertEqual(page.locator(f"#card-{query.name}").count(), 1)
            # The plugin names an older version of Vega-Lite than it brings, and fits charts in ways that it warns of.
            errors = [error for error in watched.errors if not error.startswith("WARN ")]
            self.assertEqual(errors, [])
            hosts = {urllib.parse.urlparse(request).netloc for request in watched.requests}
            self.assertLessEqual(hosts, {f"127.0.0.1:{port}", ""})


if __name__ == "__main__":
    unittest.main()
