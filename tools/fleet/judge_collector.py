"""tools/judge/collector says what this is."""

import argparse
import collections
import gzip
import http.server
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import threading

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What no request may have: the simulated machines' names in their boot ids and hosts are `host-0001` …, said as instances
# on purpose; arguments are not.
SECRETS = [b"--quiet", b"/opt/feed", b"boot of"]
COUNTERS = {
    "stallwatch.lane.stalls": "stalls", "stallwatch.lane.hangs": "hangs", "stallwatch.lane.iterations": "iterations",
    "stallwatch.lane.watched": "watched_ns", "stallwatch.lane.busy": "busy_ns",
}
# As HistogramLayout in StallwatchCore: 256 ns, and 128 counters for each power of two.
LOWEST, HALF = 8, 7


def counter_bounds(index):
    """The lowest and the highest duration of a counter, in nanoseconds."""
    bucket = max((index >> HALF) - 1, 0)
    low = (index - (bucket << HALF)) << (bucket + LOWEST)
    return low, low + (1 << (bucket + LOWEST)) - 1


class Collector(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    chance = random.Random(1)
    requests = refused = logs = 0
    sums = collections.Counter()
    spans = collections.defaultdict(collections.Counter)
    records = collections.Counter()
    faults = []
    lock = threading.Lock()

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with Collector.lock:
            Collector.requests += 1
            if Collector.chance.random() < 0.2:
                Collector.refused += 1
                self.answer(503)
                return
            try:
                self.take(gzip.decompress(body))
            except Exception as error:  # pylint: disable=broad-exception-caught
                Collector.faults.append(f"{self.path}: {error!r}")
        self.answer(200)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def take(self, body):
        for secret in SECRETS:
            if secret in body:
                Collector.faults.append(f"{self.path} has {secret!r}")
        if self.path == "/v1/logs":
            for resource in ExportLogsServiceRequest.FromString(body).resource_logs:
                for scope in resource.scope_logs:
                    for record in scope.log_records:
                        self.take_log(record)
        else:
            for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics:
                facts = {pair.key: pair.value.string_value for pair in resource.resource.attributes}
                for scope in resource.scope_metrics:
                    for metric in scope.metrics:
                        self.take_metric(facts, metric)

    @staticmethod
    def take_log(record):
        facts = {pair.key: pair.value for pair in record.attributes}
        Collector.logs += 1
        Collector.records[facts["code.function.name"].string_value] += 1
        if not record.body.string_value or not record.time_unix_nano:
            Collector.faults.append("a log record says nothing")

    @staticmethod
    def take_metric(facts, metric):
        def group(point):
            lane = next(pair.value.string_value for pair in point.attributes if pair.key == "stallwatch.lane.name")
            return facts["service.version"], facts["deployment.environment.name"], lane

        points = metric.sum.data_points or metric.exponential_histogram.data_points
        kind = metric.sum if metric.HasField("sum") else metric.exponential_histogram
        if kind.aggregation_temporality != AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA:
            Collector.faults.append(f"{metric.name} is no delta")
        for point in points:
            if point.start_time_unix_nano > point.time_unix_nano:
                Collector.faults.append(f"{metric.name} ends before it begins")
            if metric.HasField("sum"):
                value = point.as_int if point.HasField("as_int") else round(point.as_double * 1e9)
                Collector.sums[metric.name, group(point)] += value
                continue
            spans, base = Collector.spans[group(point)], 2 ** (2.0 ** -point.scale)
            for place, count in enumerate(point.positive.bucket_counts):
                # The middle of the bucket, in nanoseconds, with the error that its scale has.
                middle = base ** (point.positive.offset + place) * (1 + base) / 2 * 1e9
                spans[middle, (base - 1) / 2 + 0.004] += count
            spans[0.0, 1.0] += point.zero_count
            if point.count != sum(point.positive.bucket_counts) + point.zero_count:
                Collector.faults.append(f"{metric.name} counts other than its buckets")


def percentile(pairs, percent):
    """Of ascending pairs of a value and a count."""
    rank = max(1, math.ceil(percent / 100 * sum(count for _, count in pairs)))
    for value, count in pairs:
        rank -= count
        if rank <= 0:
            return value
    return None


def judge(truth):
    """What differs from the truth, in lines."""
    faults = list(Collector.faults)
    for group in truth["groups"]:
        key = (group["release"], group["environment"], group["lane"])
        for name, field in COUNTERS.items():
            found = Collector.sums[name, key]
            # Times are sent in seconds: a double keeps them to the microsecond.
            allowed = 2_000 * Collector.requests if field.endswith("_ns") else 0
            if abs(found - group[field]) > allowed:
                faults.append(f"{name} of {key}: {found}, not {group[field]}")
        exact = [(counter_bounds(index)[1], count) for index, count in group["spans"]]
        sent = sorted(Collector.spans[key].items())
        for percent in (50, 90, 99, 99.9):
            own = percentile(exact, percent)
            value, error = percentile(sent, percent)
            if abs(value - own) > own * error + 256:
                faults.append(f"p{percent} of {key}: {value:.0f} ns, not {own} ± {error:.1%}")
    for function, cause in truth["causes"].items():
        if Collector.records[function] != cause["stalls"]:
            faults.append(f"{function}: {Collector.records[function]} log records, not {cause['stalls']}")
    return faults


def main():
    parser = argparse.ArgumentParser(prog="tools/judge/collector", allow_abbrev=False, description="see the head of the script")
    parser.add_argument("--products", help="a folder with what is built, to build nothing")
    parser.add_argument("instances", type=int, nargs="?", default=20)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    arguments = parser.parse_args()
    built = arguments.products or subprocess.run(
        [ROOT / "tools/build/products", "stallwatch", "fleet-maker"], capture_output=True, text=True, check=False).stdout.strip()
    if not built:
        return 3
    with tempfile.TemporaryDirectory() as folder:
        stores = pathlib.Path(folder) / "stores"
        made = subprocess.run([f"{built}/fleet-maker", stores, str(arguments.instances), "7", str(arguments.seed)], check=False)
        if made.returncode:
            return 3
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"otlp+http://127.0.0.1:{server.server_port}"
        command = [f"{built}/stallwatch", "ship", stores, "--to", url, "--state", f"{folder}/state"]
        # It gives up after some failures in a row, and goes on where it was.
        for _ in range(20):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode == 0:
                break
        print(done.stdout.strip() or done.stderr.strip())
        # A second time sends nothing.
        before = Collector.requests
        again = subprocess.run(command, capture_output=True, text=True, check=False)
        server.shutdown()
        faults = judge(json.loads((stores / "truth.json").read_text()))
        if done.returncode or again.returncode:
            faults.append(f"ship ended with {done.returncode}, then {again.returncode}: {done.stderr}{again.stderr}")
        if Collector.requests != before:
            faults.append(f"{Collector.requests - before} requests came again")
    print(f"{Collector.requests} requests, {Collector.refused} refused; {Collector.logs} log records")
    for fault in faults[:20]:
        print(fault)
    print("pass" if not faults else f"FAIL: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
