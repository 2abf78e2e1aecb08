"""A server that takes inserts as ClickHouse does and keeps every batch as a file, for judges that kill it.

usage: python3 tools/fleet/stand_in.py DIRECTORY PORT

With - for DIRECTORY it looks at nothing and keeps nothing.

A batch that was answered is whole and stays, whenever the server is killed. `tables` reads what came: rows by their natural
key, of each the one with the highest version, as the server's tables have them.
"""
import gzip
import http.server
import os
import re
import struct
import sys
import threading
import urllib.parse

ORIGIN = ["service", "release", "environment", "instance", "session"]
# A row counts once for each of these.
KEYS = {
    "sessions": ["session"], "activity": ["session", "hour", "lane"], "stalls": ["session", "number"],
    "stack_times": ["session", "hour"], "timers": ["session", "lane_name", "timer"],
    "signatures": ["service", "signature"], "stacks": ["service", "stack"],
}
U8, U16, U32, I32, U64, TEXT = "B", "<H", "<I", "<i", "<Q", "text"
NUMBERS = {"is_main": U8, "exit_status": I32, "at": U32, "hour": U32, "lane": U32, "line": U32, "bucket": U16}
TEXTS = {
    "service", "release", "environment", "instance", "ended", "platform", "host", "lane_name", "lane_kind", "kind", "state",
    "severity", "mode", "phase", "signature", "call", "called", "target", "title", "function", "file", "near", "timer",
}
ARRAYS_OF_TEXTS = {"command", "frames", "tag.name", "tag.value", "loss.what", "annotation.name", "annotation.value",
                   "cause.signature", "time.signature"}
FACTS = {
    "version": "version\nString\n18.16.1\n",
    "settings": "name\nString\ninsert_distributed_sync\n",
}


class Rows:
    """Reads RowBinary."""

    def __init__(self, body, columns):
        self.body, self.place, self.columns = body, 0, columns

    def __iter__(self):
        while self.place < len(self.body):
            yield {column: self.value(column) for column in self.columns}
        if self.place != len(self.body):
            raise ValueError("the last row is cut")

    def value(self, column):
        if column in ARRAYS_OF_TEXTS:
            return tuple(self.text() for _ in range(self.length()))
        if "." in column:
            form = NUMBERS.get(column.split(".")[1], U64)
            return tuple(self.number(form) for _ in range(self.length()))
        return self.text() if column in TEXTS else self.number(NUMBERS.get(column, U64))

    def number(self, form):
        value, = struct.unpack_from(form, self.body, self.place)
        self.place += struct.calcsize(form)
        return value

    def length(self):
        value = shift = 0
        while True:
            byte = self.body[self.place]
            self.place += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def text(self):
        length = self.length()
        value = self.body[self.place:self.place + length]
        if len(value) != length:
            raise ValueError("a text is cut")
        self.place += length
        return value.decode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip" and self.server.directory != "-":
            body = gzip.decompress(body)
        parameters = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        insert = re.fullmatch(r"INSERT INTO `?(\w+)`? \((.*)\) FORMAT RowBinary", parameters.get("query", [""])[0])
        if not insert:
            query = body.decode()
            return self.answer(200, FACTS["settings" if "system.settings" in query else "version"])
        if self.server.directory == "-":
            return self.answer(200, "")
        try:
            columns = insert[2].replace("`", "").split(", ")
            for _ in Rows(body, columns):
                pass
        except (ValueError, IndexError, struct.error) as error:
            return self.answer(400, f"Code: 33, e.displayText() = DB::Exception: Cannot read all data: {error}")
        self.server.keep(insert[1], columns, body)
        return self.answer(200, "")

    def answer(self, status, text):
        self.send_response(status)
        self.send_header("X-ClickHouse-Server-Display-Name", "stand-in")
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, directory, port):
        self.directory, self.lock, self.number = directory, threading.Lock(), 0
        if directory != "-":
            os.makedirs(directory, exist_ok=True)
            self.number = len(os.listdir(directory))
        super().__init__(("127.0.0.1", port), Handler)

    def handle_error(self, *_):
        """A client that goes away is nothing to speak of here."""

    def keep(self, table, columns, body):
        with self.lock:
            self.number += 1
            place = os.path.join(self.directory, f"{self.number:08}-{table}")
        with open(place + ".part", "wb") as file:
            file.write(",".join(columns).encode() + b"\n" + body)
        os.rename(place + ".part", place)


def tables(directory):
    """Rows by table and natural key, and how many came of each table."""
    rows, came = {table: {} for table in KEYS}, {table: 0 for table in KEYS}
    for name in sorted(os.listdir(directory)):
        if name.endswith(".part"):
            continue
        table = name.split("-")[1]
        with open(os.path.join(directory, name), "rb") as file:
            head, body = file.read().split(b"\n", 1)
        for row in Rows(body, head.decode().split(",")):
            came[table] += 1
            key = tuple(row[column] for column in KEYS[table])
            known = rows[table].get(key)
            if known is None or row["version"] >= known["version"]:
                rows[table][key] = row
    return rows, came


if __name__ == "__main__":
    Server(sys.argv[1], int(sys.argv[2])).serve_forever()
