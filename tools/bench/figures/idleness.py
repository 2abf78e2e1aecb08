"""How much of the machine others use while something is measured."""

import os
import resource
import time

# More of a processor than this, and the machine is not idle: a thread that is due may have to wait for one.
IDLE = 0.1


class Others:
    """From its making on: the processors that neither stood idle nor worked for this section's own programs."""

    def __init__(self):
        self.began, self.busy, self.own = time.monotonic(), busy(), own()

    def processors(self):
        """On average so far; None where the system does not tell. Time that the host took away counts as others'."""
        if self.busy is None:
            return None
        spent = (busy() - self.busy) - (own() - self.own)
        return max(0, spent / (time.monotonic() - self.began))


def busy():
    """Seconds in which processors did not stand idle, since the start of the system."""
    try:
        with open("/proc/stat", encoding="utf-8") as file:
            user, nice, system, _, _, irq, softirq, steal = map(int, file.readline().split()[1:9])
    except (OSError, ValueError):
        return None
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def own():
    """Seconds of processor time of this process and of all that it started and that ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
