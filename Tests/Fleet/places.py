"""Tables in ClickHouse, wherever they are, and the questions that they are asked."""

import itertools
import json
import re
import subprocess

from Tests.Fleet.rows import SERVICE, flat
from Tests.Pages.recording import BUILT, ROOT

QUERIES = ROOT / "dashboards" / "clickhouse" / "queries"
MIGRATIONS = ROOT / "dashboards" / "clickhouse" / "migrations"
EVERYTHING = {"service": SERVICE, "releases": [], "environments": [], "lanes": [], "since": 0, "until": (1 << 32) - 1}


def migrate(*words, code=0):
    """Runs 'fleet migrate' and returns what it said."""
    done = subprocess.run([BUILT / "stallwatch", "fleet", "migrate", *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != code:
        raise AssertionError(f"fleet migrate {words}: {done.returncode}: {done.stderr}")
    return done.stdout + done.stderr


def literal(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'").replace("\t", "\\t") + "'"
    return str(value)


def ask(server, name, **given):
    """The rows of a question, as dictionaries."""
    text = (QUERIES / f"{name}.sql").read_text(encoding="utf-8")
    # Numbers stand as such: LIMIT takes nothing else.
    text = re.sub(r"\{(\w+):([^}]+)\}", lambda found: (
        str(given[found[1]]) if isinstance(given[found[1]], int) else f"CAST({literal(given[found[1]])} AS {found[2]})"), text)
    answer = json.loads(server.query(text + " FORMAT JSON", database="fleet"))
    numbers = {column["name"] for column in answer["meta"] if re.match("U?Int", column["type"])}
    arrays = {column["name"] for column in answer["meta"] if re.match(r"Array\(U?Int", column["type"])}
    for row in answer["data"]:
        for column in numbers:
            row[column] = int(row[column])
        for column in arrays:
            row[column] = [int(value) for value in row[column]]
    return answer["data"]


class Place:
    """Tables somewhere, full of a fleet's rows."""

    def __init__(self, name, servers, cluster=None, *more):
        self.name, self.servers = name, servers
        urls = list(itertools.chain.from_iterable(("--to", f"{server.url}/fleet") for server in servers))
        self.words = urls + (["--cluster", cluster] if cluster else []) + list(more)
        self.said = migrate(*self.words)

    def fill(self, fleet):
        # By any server of a cluster.
        servers = itertools.cycle(self.servers)
        settings = {"database": "fleet"}
        if "insert_distributed_sync" in self.servers[0].query("SELECT name FROM system.settings"):
            settings["insert_distributed_sync"] = 1
        for table, rows in fleet.sent():
            body = "\n".join(map(flat, rows)).encode()
            next(servers).query(f"INSERT INTO {table} FORMAT JSONEachRow", body=body, **settings)
