"""What a monitor costs that stays on: who wakes an idle program, what is written, and what memory it takes."""

import json
import signal
import subprocess
import sys
import time

from .section import Section, progress
from .section import run as output
from .threads import Switches, child, is_counted, written

WAKEUPS, IDLE, BUSY, MANY = 4, 1, 8, 60
BASE_KIB, LOOP_KIB = 512, 40
DEMO = 1  # Per cent of a core.
WAYS = {"none": "unwatched", "embedded": "embedded", "record": "under `record`"}


class Resident:
    """A run of loop-cost that nobody watches, or with Stallwatch embedded, or under `record`, with all defaults."""

    def __init__(self, section, way, iteration, seconds, **options):
        words = [f"{section.bench}/loop-cost", "stallwatch" if way == "embedded" else "none", iteration, "--seconds",
                 str(seconds), "--store", f"{section.directory}/{way}-{iteration}-own.stallwatch"]
        for name, value in options.items():
            words += [f"--{name}", str(value)]
        if way == "record":
            words = [f"{section.built}/stallwatch", "record", "--quiet", "-o",
                     f"{section.directory}/{way}-{iteration}.stallwatch", "--", *words]
        self.recorder, self.started = way == "record", subprocess.Popen(words, stdout=subprocess.DEVNULL)
        self.program = self.started.pid
        while self.recorder and not (program := child(self.started.pid)):
            if self.started.poll() is not None:
                sys.exit(f"{' '.join(words)} ended at once")
            time.sleep(0.05)
        if self.recorder:
            self.program = program

    def begin(self):
        """Counts from now on."""
        self.switches = Switches(self.program)
        self.recorders = Switches(self.started.pid) if self.recorder else None
        self.began, self.before = time.monotonic(), written(self.program)

    def note(self):
        self.switches.note()
        if self.recorders:
            self.recorders.note()

    def finish(self):
        """Ends the program, whose figures stay."""
        self.note()
        self.seconds, self.bytes = time.monotonic() - self.began, written(self.program) - self.before
        subprocess.run(["kill", f"-{int(signal.SIGTERM)}", str(self.program)], check=True)
        self.started.wait()

    def a_minute(self, switches):
        """Context switches a minute by a thread's name: in which it waited, and in which it was preempted."""
        return {name: tuple(60 * count / self.seconds for count in counts)
                for name, counts in switches.by_name().items()}

    def megabytes_an_hour(self):
        return 3600 * self.bytes / self.seconds / 1e6


def run(section, ways, iteration, rest, seconds, **options):
    """Runs them beside each other: counts `seconds` after a `rest`."""
    residents = {way: Resident(section, way, iteration, rest + seconds + 60, **options) for way in ways}
    time.sleep(rest)
    for resident in residents.values():
        resident.begin()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(min(1, max(end - time.monotonic(), 0)))
        for resident in residents.values():
            resident.note()
    for resident in residents.values():
        resident.finish()
    return residents


def idle(section):
    rest, seconds = (70, 60) if section.quick else (120, 600 if section.long else 180)
    progress(f"an idle program, {seconds} s after {rest} s of rest")
    found = run(section, WAYS, "idle", rest, seconds)
    counts = {way: resident.a_minute(resident.switches) for way, resident in found.items()}
    rows = [[name, *(shown(counts[way].get(name, (0, 0))) for way in WAYS)]
            for name in sorted({name for count in counts.values() for name in count})]
    sums = {way: added(count) for way, count in counts.items()}
    rows.append(["all threads of the program", *(shown(sums[way]) for way in WAYS)])
    recorder = added(found["record"].a_minute(found["record"].recorders))
    rows.append(["`stallwatch record` itself", "", "", shown(recorder)])
    section.table("Who wakes an idle program", ["thread", *WAYS.values()], rows,
                  f"Context switches a minute, in {seconds} s after {rest} s in which nothing happened; one loop, all "
                  "defaults. The kernel counts them for each thread of the program. A thread that is woken waits once "
                  "more when it is done, so that waits are wake-ups. In brackets: switches in which a thread did not wait "
                  "but lost its processor to another one, of ours or of another program; nothing woke it.")
    for way in ("embedded", "record"):
        waits, lost = (ours - none for ours, none in zip(sums[way], sums["none"]))
        if way == "record":
            waits, lost = waits + recorder[0], lost + recorder[1]
        section.budget(f"an idle program, {WAYS[way]}: wake-ups that we cause", f"≤ {WAKEUPS} a minute",
                       f"{waits:.1f}; {lost:.1f} times a thread lost its processor", waits <= WAKEUPS)
    return found


def added(counts):
    """The sum over all threads."""
    return tuple(map(sum, zip((0, 0), *counts.values())))


def shown(count):
    waited, preempted = count
    return f"{waited:.1f} ({preempted:.1f})"


def bytes_written(section, idle_runs):
    # A minute has a closing in any case. Ten have that of many loops' metrics, ticks and timers, too.
    seconds = 60 if section.quick else 600 if section.long else 120
    counted = is_counted(section.directory)
    rows = []

    def row(what, resident, limit):
        rate = resident.megabytes_an_hour()
        rows.append([what, f"{rate:.2f} MB" if counted else "unknown", f"{resident.seconds:.0f} s"])
        section.budget(f"bytes written, {what}", f"≤ {limit} MB an hour", f"{rate:.2f} MB" if counted else "unknown",
                       rate <= limit if counted else None)

    for way in ("embedded", "record"):
        row(f"idle, {WAYS[way]}", idle_runs[way], IDLE)
    for what, limit, iteration, options in (
            ("2 ms every 20 ms", BUSY, "busy", {}),
            ("100 loops of two modes, all turning", MANY, "turning", {"threads": 100, "modes": 2})):
        for way in ("embedded", "record"):
            progress(f"{what}, {WAYS[way]}, {seconds} s")
            row(f"{what}, {WAYS[way]}", run(section, [way], iteration, 10, seconds, **options)[way], limit)
    section.table("What is written in an hour", ["what", "measured", "in"], rows,
                  "Bytes that the process caused to go to the disk (`write_bytes` of its `/proc/PID/io`), extrapolated. "
                  "Idle is after the rest above; the others are measured from ten seconds on. Each minute has a closing; "
                  "that of many loops' metrics, ticks and timers comes every ten minutes, and the log is copied into the "
                  "store about as often: " + ("both are counted." if section.long else "only --long counts them."))


LONGER = 180  # Seconds after which a loop has had callouts of nearly all of the many lengths.


def memory(section):
    """What the monitor adds to one loop and to a hundred: the rest of one is the base, the growth a loop's share."""
    loops = 100
    seconds = 5 if section.quick else 60 if section.long else 20
    rows = []

    def added(monitor, iteration, threads, seconds):
        command = (f"{section.bench}/loop-cost", monitor, iteration, "--threads", threads, "--seconds", seconds,
                   "--store", f"{section.directory}/memory-{iteration}-{threads}.stallwatch")
        return json.loads(output(*command))["resident_added_kib"]

    def row(what, one, all_of_them):
        loop = (all_of_them - one) / (loops - 1)
        rows.append([what, f"{one - loop:.0f} KiB", f"{loop:.1f} KiB", f"{all_of_them} KiB"])
        return one - loop, loop

    for iteration, what in (("idle", "idle"), ("busy", "2 ms every 20 ms"), ("uneven", "callouts of many lengths")):
        progress(f"memory, {what}")
        bare = {threads: added("none", iteration, threads, seconds) for threads in (1, loops)}
        one, all_of_them = (added("stallwatch", iteration, threads, seconds) - bare[threads] for threads in (1, loops))
        base, loop = row(what, one, all_of_them)
        section.budget(f"memory of the monitor's own, {what}: base", f"≤ {BASE_KIB} KiB", f"{base:.0f} KiB",
                       base <= BASE_KIB)
        section.budget(f"memory of the monitor's own, {what}: a loop of one mode", f"≤ {LOOP_KIB} KiB",
                       f"{loop:.1f} KiB", loop <= LOOP_KIB)
    if not section.quick:
        progress(f"memory, callouts of many lengths for {LONGER} s")
        # The program itself takes no more by then, and one loop alone hardly more.
        longer = added("stallwatch", "uneven", loops, LONGER) - bare[loops]
        row(f"callouts of many lengths, after {LONGER} s", one, longer)
    section.table("Memory of the monitor's own", ["loops", "base", "a loop of one mode", f"in all with {loops} loops"],
                  rows,
                  f"What is added to the program's anonymous memory (`RssAnon`) from before the monitor's start to "
                  f"{seconds} s later, less what the same program adds without it. That is all that the process alone "
                  "has: heaps, stacks, tables, and the pages of libraries that were written to. Left out are pages of "
                  "code and constants that nothing wrote to: all processes share them, and the kernel drops them when "
                  "it likes. Of the time between two writings: while the monitor writes to its store, and for a second "
                  "after a stall, it takes some hundred KiB more. Each length that a loop had since metrics were last "
                  "written, ten minutes ago at most, takes a few bytes: the last row shows how far that goes.")


def demo(section):
    """The demo's monitor, beside the least of what it does: two threads that wake and write, and SQLite alone."""
    progress("the demo")
    store = f"{section.directory}/demo.stallwatch"
    output(f"{section.built}/stallwatch", "demo", "-o", store)
    report = json.loads(output(f"{section.built}/stallwatch", "report", store, "--format", "json"))
    seconds, stalls = report["sessions"][-1]["duration_ns"] / 1e9, report["stalls"]["count"]
    share = 100 * report["health"]["monitor_cpu_ns"] / 1e9 / seconds
    bare = json.loads(output(f"{section.bench}/bare-threads", f"{seconds:.1f}", f"{section.directory}/bare"))
    # A transaction at each edge of a stall.
    edges = 2 * stalls
    copy = f"{section.directory}/demo-raw.db"
    rows = json.loads(output(f"{section.bench}/store-cost", "raw", store, copy, "statements", edges,
                             int(1_000 * seconds / edges)))
    waking, writing = 100 * bare["cpu_share"], 100 * rows["cpu_ns"] / rows["wall_ns"]
    least = waking + writing
    section.table("The demo", ["", "CPU, of a core"],
                  [["the monitor", f"{share:.2f} %"],
                   [f"two bare threads, {bare['wakeups']} wake-ups each", f"{waking:.2f} %"],
                   [f"SQLite alone, {edges} transactions", f"{writing:.2f} %"]],
                  "What the monitor takes while something is held nearly all the time. Beside it what this machine takes "
                  "for the least of that, by programs that measure nothing. Of the two threads one wakes as often as "
                  "figures are handed on, so that a kill costs at most 20 ms of them, and wakes the other, which writes "
                  "a kilobyte. SQLite writes the rows of the demo's store by prepared statements, in a transaction at "
                  f"each edge of a stall. The monitor takes {share / least:.1f} times as much as the two together.")
    section.budget("the demo, monitor's CPU", f"≤ {DEMO} % of a core",
                   f"{share:.1f} %; bare threads and SQLite alone {least:.1f} %", share <= DEMO)


def main():
    section = Section.from_arguments("Always on")
    bytes_written(section, idle(section))
    memory(section)
    demo(section)
    section.print()


if __name__ == "__main__":
    main()
