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
    """CPU time that a process's threads have used: to the nanosecond, not by the ticks that happened to meet them."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as status:
                total += int(status.read().split()[0])
        except OSError:
            # It has ended.
            pass
    return total / 1e9
