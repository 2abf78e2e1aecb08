"""Answers over HTTP as a ClickHouse server does, with today's ClickHouse in this process: chdb_server.py DIRECTORY PORT.

For tests, on loopback only. Knows what Stallwatch sends: `query` and settings in the address, the rest of the query or rows in
the body, packed or not. One request at a time. tools/build/python --chdb has the package.
"""

import gzip
import http.server
import re
import sys
import tempfile
import urllib.parse

from chdb.session import Session

# Of the protocol, not of the engine.
OTHERS = {"query", "database", "wait_end_of_query", "user", "password"}
STATUSES = {"60": 404, "47": 404, "81": 404, "193": 401, "516": 401}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Otherwise the body waits until the client confirms that it has the head, which takes it 40 ms.
    disable_nagle_algorithm = True
    session = None

    def do_GET(self):
        self.do_POST()

    def do_POST(self):
        address = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query, keep_blank_values=True)
        values = {name: value[-1] for name, value in address.items()}
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        try:
            answer, status = self.run(values, body), 200
        except Exception as error:  # whatever the engine throws
            code = re.search(r"Code: (\d+)", str(error))
            answer, status = str(error).encode(), STATUSES.get(code and code[1], 500)
        self.send_response(status)
        self.send_header("X-ClickHouse-Server-Display-Name", "chdb")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def run(self, values, body):
        settings = [f"SET {setting} = {quoted(value)}" for setting, value in values.items() if setting not in OTHERS]
        database = values.get("database", "default")
        for statement in [f"USE {quoted(database, mark=chr(96))}", *settings]:
            self.session.query(statement)
        text = values.get("query")
        if text is None:
            return self.session.query(body.decode(), "TabSeparated").bytes()
        if not text.lstrip().upper().startswith("INSERT"):
            return self.session.query(text + body.decode(), "TabSeparated").bytes()
        if " FORMAT " not in text:
            return self.session.query(text + body.decode()).bytes()
        with tempfile.NamedTemporaryFile() as file:
            file.write(body)
            file.flush()
            head, form = text.rsplit(" FORMAT ", 1)
            self.session.query(f"{head} FROM INFILE {quoted(file.name)} FORMAT {form}")
        return b""

    def log_message(self, *_):
        pass


def quoted(text, mark="'"):
    return mark + text.replace("\\", "\\\\").replace(mark, "\\" + mark) + mark


if __name__ == "__main__":
    Handler.session = Session(sys.argv[1])
    http.server.HTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
