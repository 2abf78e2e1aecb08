"""A small disk of its own for the judge of `ship`, which it can fill."""
import contextlib
import os
import subprocess
import time

from tools.fleet.ship_servers import PATIENCE, begin

PAGE = 4_096


class SmallDisk:
    """A tmpfs that only the processes see that are begun `inside` it. It takes a root to make one."""

    def __init__(self, place, size):
        self.place, self.size = place, size
        os.mkdir(place)
        # Its end takes the disk with it.
        self.keeper = begin(["unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o size="$1" tmpfs "$0" && exec sleep infinity',
                             place, str(size)])
        self.seen = f"/proc/{self.keeper.pid}/root{place}"
        deadline = time.monotonic() + PATIENCE
        while not self.is_mounted():
            if self.keeper.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"no tmpfs of {size} bytes could be mounted at {place}")
            time.sleep(0.02)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.keeper.kill()
        self.keeper.wait()

    def is_mounted(self):
        with contextlib.suppress(OSError):
            return os.stat(self.seen).st_dev != os.stat(self.place).st_dev
        return False

    def inside(self, command):
        """A command that sees the disk."""
        return ["nsenter", f"--mount=/proc/{self.keeper.pid}/ns/mnt", "--", *command]

    def room(self):
        free = os.statvfs(self.seen)
        return free.f_bavail * free.f_frsize

    def fill(self, leaving=0):
        """Leaves so many bytes."""
        with open(f"{self.seen}/filler", "ab", buffering=0) as filler:
            with contextlib.suppress(OSError):
                while self.room() > leaving:
                    filler.write(bytes(PAGE))

    def make_room(self):
        os.unlink(f"{self.seen}/filler")


def why_not():
    """Why no small disk can be made here; None where one can."""
    if os.geteuid() != 0:
        return "only root mounts one"
    tried = subprocess.run(["unshare", "--mount", "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "/mnt"], capture_output=True,
                           text=True, check=False)
    return None if tried.returncode == 0 else tried.stderr.strip()
