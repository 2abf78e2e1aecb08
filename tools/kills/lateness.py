"""How late this machine gives a ready thread a processor."""

import threading
import time

MS = 1_000_000


class MachineLateness:
    """Measures all the time. The monitor cannot be blamed for what it finds."""

    def __init__(self):
        self.late = []
        threading.Thread(target=self.measure, daemon=True).start()

    def measure(self):
        while True:
            before = time.monotonic_ns()
            time.sleep(0.005)
            now = time.monotonic_ns()
            self.late = [(at, by) for at, by in self.late if at > now - 1_000 * MS] + [(now, now - before - 5 * MS)]

    def since(self, moment):
        return sum(by for at, by in list(self.late) if at > moment and by > MS)
