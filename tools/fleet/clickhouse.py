"""ClickHouse on loopback, for tests and judges: servers of Debian's version with a cluster over them, and today's in chDB.

    with clickhouse.servers(directory, 2) as two:
        two[0].query("SELECT 1")

Each server has a free port, a directory of its own, and a process that is ended by its id. Servers can be killed and started
again.
"""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLUSTER = "stallwatch"
# Until a server must have started, in seconds: on a machine that does other things.
PATIENCE = 60

CONFIG = """<yandex>
  <logger><level>warning</level><log>{directory}/log</log><errorlog>{directory}/errors</errorlog></logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>{http}</http_port><tcp_port>{tcp}</tcp_port>
  <path>{directory}/data/</path><tmp_path>{directory}/temporary/</tmp_path>
  <user_files_path>{directory}/files/</user_files_path><format_schema_path>{directory}/formats/</format_schema_path>
  <users_config>users.xml</users_config><default_profile>default</default_profile>
  <default_database>default</default_database><timezone>{timezone}</timezone>
  <mark_cache_size>268435456</mark_cache_size><max_concurrent_queries>100</max_concurrent_queries>
  <keep_alive_timeout>10</keep_alive_timeout>
  <remote_servers><{cluster}>{shards}</{cluster}></remote_servers>
  <macros><shard>{number}</shard><replica>1</replica></macros>
  {more}
</yandex>
"""
SHARD = "<shard><internal_replication>true</internal_replication><replica><host>127.0.0.1</host><port>{tcp}</port></replica></shard>"
# `writer` has the password that tests of passwords use.
USERS = """<yandex>
  <profiles><default><max_memory_usage>8000000000</max_memory_usage></default></profiles>
  <quotas><default/></quotas>
  <users>
    <default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
    <writer><password>{password}</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></writer>
  </users>
</yandex>
"""
PASSWORD = "open sesame"


class Refused(Exception):
    """What a server said instead of an answer."""


def free_port():
    """A port that nobody has now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Asked:
    """What can be asked over HTTP at `url`."""

    url = ""

    def query(self, text, body=None, **parameters):
        """The answer's text. With a body, `text` is what says what to do with it."""
        query = urllib.parse.urlencode({**parameters, **({"query": text} if body is not None else {})})
        request = urllib.request.Request(f"{self.url}/?{query}", data=text.encode() if body is None else body)
        try:
            with urllib.request.urlopen(request, timeout=600) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            raise Refused(error.read().decode().strip()) from error

    def rows(self, text, **parameters):
        """The answer's rows, each a list of texts."""
        answer = self.query(text + " FORMAT TabSeparated", **parameters)
        return [line.split("\t") for line in answer.splitlines()]

    def answers(self):
        """Whether it answers now."""
        try:
            return self.query("SELECT 1") == "1\n"
        except (OSError, Refused):
            return False


class Server(Asked):
    """A `clickhouse-server` process."""

    command = "clickhouse-server"
    environment = None

    def __init__(self, directory):
        self.directory, self.http, self.tcp = pathlib.Path(directory), free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.http}"
        self.process = None

    def configure(self, shards, timezone="UTC", more=""):
        for name in ("data", "temporary", "files", "formats"):
            (self.directory / name).mkdir(parents=True, exist_ok=True)
        number = shards.index(self) + 1
        shards = "".join(SHARD.format(tcp=server.tcp) for server in shards)
        (self.directory / "config.xml").write_text(CONFIG.format(
            directory=self.directory, http=self.http, tcp=self.tcp, cluster=CLUSTER, shards=shards, number=number, timezone=timezone,
            more=more))
        (self.directory / "users.xml").write_text(USERS.format(password=PASSWORD))

    def words(self):
        return [self.command, f"--config-file={self.directory}/config.xml"]

    def start(self):
        """Starts it, and waits until it answers."""
        with open(self.directory / "output", "ab") as output:
            # In a process group of its own: a Ctrl-C for whoever runs this ends it in order.
            self.process = subprocess.Popen(self.words(), stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                            cwd=self.directory, env=self.environment, start_new_session=True)
        deadline = time.monotonic() + PATIENCE
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                said = (self.directory / "output").read_text(errors="replace")
                self.kill()
                raise RuntimeError(f"{self.command} did not start: {said[-2000:]}")
            time.sleep(0.05)

    def kill(self):
        """Ends it at once, as a power cut would."""
        self.end(signal.SIGKILL)

    def end(self, how=signal.SIGTERM):
        if self.process is None:
            return
        self.process.send_signal(how)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None


class ChDB(Server):
    """Today's ClickHouse, in a process that answers as a server would (tools/fleet/chdb_server.py)."""

    command = "chdb"

    def words(self):
        return [ROOT / ".build" / "chdb" / "bin" / "python", ROOT / "tools" / "fleet" / "chdb_server.py",
                self.directory / "data", str(self.http)]


def install():
    """Installs Debian's server where it is missing."""
    # It lies in /usr/sbin, which not everybody looks into.
    os.environ["PATH"] += os.pathsep + "/usr/sbin"
    if not shutil.which("clickhouse-server"):
        subprocess.run([ROOT / "tools" / "build" / "prepare", "clickhouse-server"], check=True, stdout=sys.stderr)


@contextlib.contextmanager
def servers(directory, count=1, **options):
    """So many servers below a directory, each a shard of the cluster `stallwatch`."""
    install()
    found = [Server(pathlib.Path(directory).resolve() / f"server-{number}") for number in range(1, count + 1)]
    try:
        for server in found:
            server.configure(found, **options)
            server.start()
        yield found
    finally:
        for server in found:
            server.end()


@contextlib.contextmanager
def keeper(directory):
    """Debian's ZooKeeper below a directory; what a server's configuration needs of it, for `servers(more=…)`."""
    subprocess.run([ROOT / "tools" / "build" / "prepare", "zookeeper"], check=True, stdout=sys.stderr)
    place, port = pathlib.Path(directory).resolve() / "keeper", free_port()
    place.mkdir(parents=True)
    (place / "zoo.cfg").write_text(f"tickTime=2000\ndataDir={place}/data\nclientPort={port}\nclientPortAddress=127.0.0.1\n"
                                   "admin.enableServer=false\n")
    jars = ":".join(map(str, pathlib.Path("/usr/share/java").glob("*.jar")))
    with open(place / "output", "wb") as output:
        process = subprocess.Popen(["java", "-cp", jars, "org.apache.zookeeper.server.quorum.QuorumPeerMain", place / "zoo.cfg"],
                                   stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
    try:
        deadline = time.monotonic() + PATIENCE
        while True:
            # It takes connections before it serves them, and a server of 2018 dies of that.
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1) as asked:
                asked.sendall(b"srvr")
                if b"Mode: standalone" in asked.makefile("rb").read():
                    break
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"ZooKeeper did not start: {(place / 'output').read_text(errors='replace')[-2000:]}")
            time.sleep(0.05)
        yield (f"<zookeeper><node><host>127.0.0.1</host><port>{port}</port></node></zookeeper>"
               "<distributed_ddl><path>/clickhouse/task_queue/ddl</path></distributed_ddl>")
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def chdb(directory):
    """Today's ClickHouse below a directory."""
    subprocess.run([ROOT / "tools" / "build" / "python", "--chdb", "-c", ""], check=True, stdout=sys.stderr)
    server = ChDB(pathlib.Path(directory).resolve() / "chdb")
    (server.directory / "data").mkdir(parents=True, exist_ok=True)
    try:
        server.start()
        yield server
    finally:
        server.end()
