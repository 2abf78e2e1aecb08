"""What the kernel counts for each thread of a process, and for what it writes."""

import collections
import os


class Switches:
    """How often the threads of a process gave up or lost a processor from the first look on. Look often: a thread that
    ends between two looks takes its last counts along."""

    def __init__(self, process):
        self.process = process
        self.first = look(process)
        self.last = dict(self.first)

    def note(self):
        self.last.update(look(self.process))

    def by_name(self):
        """Under each thread's name, how often such threads waited and how often they were preempted; a thread that
        began later counts from 0."""
        counts = collections.defaultdict(lambda: (0, 0))
        for thread, (name, *now) in self.last.items():
            _, *before = self.first.get(thread, (name, 0, 0))
            counts[name] = tuple(count + after - first for count, after, first in zip(counts[name], now, before))
        return counts


def look(process):
    """Name and context switches, voluntary and not, of every thread."""
    found = {}
    for thread in os.listdir(f"/proc/{process}/task"):
        try:
            with open(f"/proc/{process}/task/{thread}/status", encoding="utf-8") as file:
                status = dict(line.split(":", 1) for line in file)
        except OSError:
            continue
        found[thread] = (status["Name"].strip(), int(status["voluntary_ctxt_switches"]),
                         int(status["nonvoluntary_ctxt_switches"]))
    return found


def written(process):
    """Bytes that the process has caused to go to a disk: pages of files that it made dirty."""
    with open(f"/proc/{process}/io", encoding="utf-8") as file:
        return int(dict(line.split(": ") for line in file)["write_bytes"])


def is_counted(directory):
    """Whether the kernel counts what is written there; it does not where files lie in memory."""
    before = written("self")
    with open(f"{directory}/counted", "wb") as file:
        file.write(b"x" * 65536)
        file.flush()
        os.fsync(file.fileno())
    os.remove(f"{directory}/counted")
    return written("self") > before


def child(process):
    """The process that this one started; None where it has started none."""
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                parent = file.read().rsplit(")", 1)[1].split()[1]
        except OSError:
            continue
        if int(parent) == process:
            return int(name)
    return None
