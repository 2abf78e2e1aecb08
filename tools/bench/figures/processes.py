"""Commands as whole processes: their time and memory."""

import os
import sys
import time


def measure(*command):
    """Wall time in seconds, peak memory in MB. The output goes nowhere; a command that fails ends the section."""
    began = time.monotonic()
    process = os.posix_spawnp(str(command[0]), [str(word) for word in command], os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, usage = os.wait4(process, 0)
    if status != 0:
        sys.exit(f"{' '.join(str(word) for word in command)} failed with status {status}")
    return time.monotonic() - began, usage.ru_maxrss / 1000


def best(count, *command):
    """The fastest of some."""
    return min(measure(*command) for _ in range(count))


def remove(store):
    """Removes a store and what SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(store + suffix):
            os.remove(store + suffix)
