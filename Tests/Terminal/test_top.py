"""`stallwatch top` in a real terminal, driven by tmux."""

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from Tests.Pages.recording import BUILT, ROOT
from Tests.Pages.waiting import cpu_seconds, wait

ARTEFACTS = ROOT / "artefacts" / "terminal"


class Terminal:
    """A terminal of its own, in a tmux server of its own."""

    def __init__(self, folder, command, columns=100, lines=30):
        # Of its own: a server that was just ended may still hold its socket.
        self.socket = os.path.join(tempfile.mkdtemp(dir=folder), "tmux")
        self.run("-u", "-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(lines), f"env TERM=screen-256color sh")
        self.run("send-keys", "PS1='prompt> '; clear; echo before", "Enter")
        # The prompt, too: what is typed before the shell reads it is echoed in between.
        wait(lambda: "before\nprompt>" in self.text())
        self.type(command + "; echo status=$?")
        self.run("send-keys", "Enter")

    def run(self, *words):
        done = subprocess.run(["tmux", "-S", self.socket, *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"tmux {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def type(self, keys):
        self.run("send-keys", "-l", keys)

    def text(self):
        return self.run("capture-pane", "-p")

    def resize(self, columns, lines):
        self.run("resize-window", "-x", str(columns), "-y", str(lines))

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, check=False)


def listed(screen):
    """The ids of the stalls on a screen, in its order."""
    lines = screen.partition("LAST STALLS")[2].splitlines()[2:]
    return [words[0] for words in (line.lstrip("→").split() for line in lines) if words and words[0].isdigit()]


def chosen(screen):
    """The id of the stall that the arrow points at, or nothing."""
    return next((line.split()[1] for line in screen.splitlines() if line.startswith("→")), None)


class Top(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            subprocess.run([ROOT / "tools" / "build" / "prepare", "tmux"], check=True, stdout=sys.stderr)
        except subprocess.CalledProcessError as error:
            if os.environ.get("CI"):
                raise
            print(f"top is not tried: {error}", file=sys.stderr)
            raise unittest.SkipTest("no tmux") from error
        try:
            for descriptor in os.openpty():
                os.close(descriptor)
        except OSError as error:
            print(f"top is not tried: this machine has no pseudo-terminals: {error}", file=sys.stderr)
            raise unittest.SkipTest("no pseudo-terminals") from error
        ARTEFACTS.mkdir(parents=True, exist_ok=True)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="stallwatch-top-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.store = os.path.join(self.folder, "run.stallwatch")

    def record(self, *options):
        program = subprocess.Popen(
            [BUILT / "stallwatch", "record", "-o", self.store, "--", BUILT / "stallwatch-workload", "--threads", "1", "--nested", "0",
             "--for", "1s", *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(program.wait)
        wait(lambda: os.path.exists(self.store) and os.path.getsize(self.store) > 0)
        time.sleep(0.5)
        return program

    def terminal(self, command, **size):
        terminal = Terminal(self.folder, command, **size)
        self.addCleanup(terminal.close)
        return terminal

    def running(self):
        """The process that shows the store: neither the shell that started it nor a child that lives for a moment."""
        found = subprocess.run(["pgrep", "-f", f"stallwatch top {self.store}$"], capture_output=True, text=True, check=True)
        return [int(pid) for pid in found.stdout.split() if self.is_top(pid)]

    @staticmethod
    def is_top(pid):
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as status:
                parent = status.read().rpartition(")")[2].split()[1]
            return all(os.readlink(f"/proc/{one}/exe").endswith("/stallwatch") == (one == pid) for one in (pid, parent))
        except FileNotFoundError:
            return False

    def test_shows_a_stall_with_its_stack_while_it_goes_on_and_leaves_the_screen_as_it_was(self):
        self.record("--stalls", "2", "--min-stall", "15s", "--max-stall", "16s", "--idle", "2s", "--how", "usleep")
        terminal = self.terminal(f"{BUILT}/stallwatch top {self.store}")
        # What it was doing takes two looks.
        wait(lambda: all(word in terminal.text() for word in ("HELD for", "sleepStall", "blocked")))
        first = terminal.text()
        (ARTEFACTS / "top.txt").write_text(first, encoding="utf-8")
        self.assertIn("recording for", first)
        self.assertIn("LOOPS", first)
        self.assertNotIn("before", first)
        # It grows while one looks.
        wait(lambda: "HELD for" in terminal.text() and terminal.text() != first)
        terminal.resize(60, 12)
        wait(lambda: terminal.text().count("LOOPS") <= 1 and "run.stallwatch" in terminal.text().splitlines()[0])
        self.assertLessEqual(max(map(len, terminal.text().splitlines())), 60)
        terminal.resize(140, 40)
        wait(lambda: "LAST STALLS" in terminal.text() and "ended after" in terminal.text(), 90)
        (ARTEFACTS / "top-ended.txt").write_text(terminal.text(), encoding="utf-8")
        terminal.type("?")
        wait(lambda: "q quits" in terminal.text())
        terminal.type("q")
        wait(lambda: "status=0" in terminal.text())
        self.assertIn("before", terminal.text())
        self.assertNotIn("LAST STALLS", terminal.text())

    def test_shows_the_stall_that_is_chosen_with_arrows(self):
        self.record("--stalls", "3", "--max-stall", "100ms", "--min-stall", "100ms", "--how", "usleep").wait()
        terminal = self.terminal(f"{BUILT}/stallwatch top {self.store}")
        # A busy machine holds the program for more stalls than it was asked for: the screen says which.
        wait(lambda: len(listed(terminal.text())) >= 3)
        stalls = listed(terminal.text())

        def choose(key, stall):
            terminal.run("send-keys", key)
            wait(lambda: chosen(terminal.text()) == stall, what=f"{key} did not choose stall {stall}")

        choose("Down", stalls[0])
        choose("Down", stalls[1])
        terminal.run("send-keys", "Enter")
        wait(lambda: f"STALL {stalls[1]}" in terminal.text() and "LOOPS" not in terminal.text())
        (ARTEFACTS / "top-stall.txt").write_text(terminal.text(), encoding="utf-8")
        choose("Escape", stalls[1])
        choose("Up", stalls[0])
        terminal.type("q")
        wait(lambda: "status=0" in terminal.text())

    def test_leaves_the_screen_as_it_was_when_it_is_ended(self):
        self.record("--stalls", "1", "--max-stall", "100ms", "--min-stall", "100ms")
        for end in ("C-c", signal.SIGTERM):
            with self.subTest(end=end):
                terminal = self.terminal(f"{BUILT}/stallwatch top {self.store}")
                wait(lambda: "LOOPS" in terminal.text())
                if end == "C-c":
                    terminal.run("send-keys", "C-c")
                else:
                    for pid in self.running():
                        os.kill(pid, end)
                wait(lambda: "status=0" in terminal.text())
                self.assertIn("before", terminal.text())
                terminal.type("echo typed")
                wait(lambda: "echo typed" in terminal.text())
                terminal.close()

    def test_prints_one_view_where_stdout_is_no_terminal(self):
        self.record("--stalls", "1", "--max-stall", "100ms", "--min-stall", "100ms").wait()
        done = subprocess.run([BUILT / "stallwatch", "top", self.store], capture_output=True, text=True, check=True)
        self.assertIn("ended after", done.stdout)
        self.assertIn("LAST STALLS", done.stdout)
        self.assertNotIn("\x1b", done.stdout)

    def test_costs_next_to_nothing_while_nothing_changes(self):
        self.record("--stalls", "1", "--max-stall", "100ms", "--min-stall", "100ms").wait()
        terminal = self.terminal(f"{BUILT}/stallwatch top {self.store}")
        wait(lambda: "LAST STALLS" in terminal.text())
        pid, = self.running()
        time.sleep(1)
        before, started = cpu_seconds(pid), time.monotonic()
        time.sleep(5)
        used = (cpu_seconds(pid) - before) / (time.monotonic() - started)
        print(f"top used {used * 100:.2f} % of a core while nothing changed")
        self.assertLessEqual(used, 0.03)


if __name__ == "__main__":
    unittest.main()
