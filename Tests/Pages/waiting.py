"""Waiting for what other processes do, and what they cost."""

import os
import time


def wait(until, seconds=90, what="it did not come to pass"):
    """Waits for something that comes to pass; generous, for a machine may be busy. Returns what it came to."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            found = until()
            if found:
                return found
        except OSError:
            # Not there yet, or not listening yet.
            pass
        time.sleep(0.1)
    raise AssertionError(what)


def cpu_seconds(pid):
    """CPU time that a process has used."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as status:
        fields = status.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
