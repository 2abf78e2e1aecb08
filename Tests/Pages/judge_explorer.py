"""What `tools/judge/page-explorer` measures."""

import argparse
import os
import pathlib
import random
import re
import sqlite3
import subprocess
import sys
import time
import unittest

from . import browser, recording
from .waiting import wait

SEED = 20261126
ROUNDS = 3
SOUGHT = 200
# Page of a day: bytes, milliseconds.
MOST_BYTES, MOST_OPEN, MOST_P95, MOST_FRAME, MOST_SELECTION = 3_000_000, 1_000, 20, 60, 100

# Notes when frames come, and when causes and tables have followed a selection and are painted.
WATCH = """() => {
  window.frames_ = [];
  let last = performance.now();
  const note = () => { const now = performance.now(); window.frames_.push(now - last); last = now; window.going_ = requestAnimationFrame(note); };
  window.going_ = requestAnimationFrame((now) => { last = performance.now(); window.going_ = requestAnimationFrame(note); });
}"""
SELECT = """async ([left, right]) => {
  const canvas = document.getElementById("timeline");
  const box = canvas.getBoundingClientRect();
  const send = (kind, part) => canvas.dispatchEvent(new PointerEvent(kind,
    { pointerId: 1, button: 0, bubbles: true, clientX: box.left + part * box.width, clientY: box.top + 40 }));
  canvas.setPointerCapture = () => {};
  send("pointerdown", left);
  send("pointermove", right);
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const began = performance.now();
  send("pointerup", right);
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return [performance.now() - began, document.getElementById("selected").textContent];
}"""


class Judgement:
    """Figures beside their limits."""

    def __init__(self):
        self.failed = False

    def say(self, what, figure, limit, unit, least=False):
        good = figure >= limit if least else figure <= limit
        self.failed |= not good
        print(f"{'ok  ' if good else 'MISS'} {what}: {figure:,.0f} {unit}, {'at least' if least else 'at most'} {limit:,} {unit}",
              flush=True)


def build(arguments):
    if arguments.built:
        return pathlib.Path(arguments.built)
    products = [recording.ROOT / "tools/build/products", "stallwatch", "stallwatch-workload"]
    done = subprocess.run(products, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(3)
    return pathlib.Path(done.stdout.strip())


def percentile(values, share):
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def frames(page, work):
    """The times between frames while `work` goes on."""
    page.evaluate(WATCH)
    work()
    page.evaluate("cancelAnimationFrame(window.going_)")
    return page.evaluate("window.frames_")


def move(page, box):
    """Zooms in and out under the pointer and with keys, and pans."""
    page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + 50)
    page.keyboard.down("Control")
    for delta in [-200] * 25 + [200] * 25:
        page.mouse.wheel(0, delta)
    page.keyboard.up("Control")
    page.focus("#timeline")
    page.keyboard.press("0")
    for key in ["+"] * 3 + ["ArrowRight"] * 15 + ["ArrowLeft"] * 15 + ["-"] * 3:
        page.keyboard.press(key)


def measure_frames(page, box, judgement):
    rounds = [frames(page, lambda: move(page, box)) for _ in range(ROUNDS)]
    best = min(rounds, key=lambda times: (percentile(times, 0.95), max(times)))
    print("     rounds: " + "; ".join(f"{len(times)} frames, p95 {percentile(times, 0.95):.1f} ms, worst {max(times):.1f} ms"
                                      for times in rounds))
    judgement.say("95 in 100 frames, panning and zooming", percentile(best, 0.95), MOST_P95, "ms")
    judgement.say("the longest frame", min(max(times) for times in rounds), MOST_FRAME, "ms")


def selections(page, chance):
    """How long causes and tables took to follow twenty selections."""
    times = []
    for _ in range(20):
        left = chance.uniform(0, 0.9)
        took, words = page.evaluate(SELECT, [left, min(left + chance.choice([0.005, 0.05, 0.5]), 1)])
        assert words.startswith("From "), words
        times.append(took)
    return times


def measure_selections(page, judgement):
    chance = random.Random(SEED)
    rounds = [selections(page, chance) for _ in range(ROUNDS)]
    print("     rounds: " + "; ".join(f"median {percentile(times, 0.5):.0f} ms, worst {max(times):.0f} ms" for times in rounds))
    judgement.say("causes and tables follow a selection, 9 in 10", min(percentile(times, 0.9) for times in rounds),
                  MOST_SELECTION, "ms")
    page.click("#select-none")


# In these colours only stalls are red.
STARK = ":root { %s }" % " ".join(
    [f"--{name}: #00ff00 !important;" for name in ("ground", "panel", "text", "faint", "grid", "busy", "held", "focus", "hatch",
                                                   "notice", "running")]
    + [f"--{name}: #ff00ff !important;" for name in ("brief", "long", "microhang", "hang", "severe", "congestion", "away")])


def drawn_at(page, x, top):
    """Whether a stall is drawn in a lane within a pixel of x."""
    return page.evaluate("""async ([x, top]) => {
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      const canvas = document.getElementById("timeline"), dense = devicePixelRatio;
      const pixels = canvas.getContext("2d").getImageData(Math.max(Math.floor(x * dense) - 1, 0), (top + 18) * dense, 3, 60 * dense).data;
      for (let at = 0; at < pixels.length; at += 4) if (pixels[at] > 60) return true;
      return false;
    }""", [x, top])


def seek(page, store, box, judgement):
    """Zooms from the whole day to stalls chosen by chance: each must be drawn all the way and be found at its time."""
    connection = sqlite3.connect(store)
    stalls = connection.execute(
        "SELECT stalls.id, loops.name, stalls.started_ns - sessions.started_ns, stalls.duration_ns, "
        "sessions.last_seen_ns - sessions.started_ns FROM stalls JOIN sessions ON sessions.id = stalls.session "
        "JOIN loops ON loops.id = stalls.loop WHERE state = 'ended'").fetchall()
    connection.close()
    found = drawn = 0
    tops = lane_tops(page)
    page.add_style_tag(content=STARK)
    page.click("#theme")
    for number, name, start, length, whole in random.Random(SEED).sample(stalls, min(SOUGHT, len(stalls))):
        top, view, is_drawn = tops[name], [0, whole], True
        page.click("#zoom-reset")
        page.focus("#timeline")
        while True:
            x = (start + length / 2 - view[0]) / (view[1] - view[0]) * box["width"]
            words = page.text_content("#range")
            if not 0 <= x < box["width"]:
                # At 24 h a pixel is a minute: what lies at an edge may be beyond it one turn later.
                page.keyboard.press("ArrowLeft" if x < 0 else "ArrowRight")
            else:
                if not drawn_at(page, x, top):
                    is_drawn = False
                    print(f"     stall {number} on {name} at {start / 1e9:.3f} s, {length / 1e6:.0f} ms, is not drawn at {x:.1f} of {words}")
                if length / (view[1] - view[0]) * box["width"] >= 8:
                    break
                # The middle of the stall is kept under the pointer.
                page.mouse.move(box["x"] + x, box["y"] + top + 70)
                page.keyboard.down("Control")
                page.mouse.wheel(0, -400)
                page.keyboard.up("Control")
            wait(lambda: page.text_content("#range") != words)
            view = shown(page)
        # Pointing where the pointer is already tells the page nothing.
        page.mouse.move(box["x"] + box["width"] / 3, box["y"] + top + 60)
        page.mouse.move(box["x"] + x, box["y"] + top + 70)
        said = page.text_content("#reading")
        found += said.startswith(f"stall {number}:")
        drawn += is_drawn
        if not said.startswith(f"stall {number}:"):
            print(f"     stall {number} on {name} at {start / 1e9:.3f} s: {said}")
    sought = min(SOUGHT, len(stalls))
    judgement.say(f"of {sought} stalls, drawn at every zoom", drawn, sought, "", least=True)
    judgement.say(f"of {sought} stalls, found by zooming", found, sought, "", least=True)


UNITS = {"h": 3_600e9, "min": 60e9, "s": 1e9, "ms": 1e6}


def shown(page):
    """What the page says of the time that it shows, in nanoseconds, to the millisecond."""
    words = re.match(r"Showing (.*) to (.*) of .* of session", page.text_content("#range"))
    return [sum(float(value) * UNITS[unit] for value, unit in re.findall(r"([\d.]+) (h|min|ms|s)\b", moment)) for moment in words.groups()]


def lane_tops(page):
    """Where each loop's lane begins: found by pointing at it, row by row."""
    return page.evaluate("""() => {
      const canvas = document.getElementById("timeline"), box = canvas.getBoundingClientRect(), tops = {};
      for (let y = 0; y < box.height; y += 1) {
        canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + box.width - 1, clientY: box.top + y, bubbles: true }));
        const words = document.getElementById("reading").textContent;
        const name = canvas.dataset.lane;
        if (name !== undefined && !(name in tops)) tops[name] = y;
      }
      return tops;
    }""")


def main():
    parser = argparse.ArgumentParser(prog="tools/judge/page-explorer")
    parser.add_argument("stalls", nargs="?", type=int, default=30_000)
    parser.add_argument("--built", help="the folder of stallwatch and stallwatch-workload, built for release")
    parser.add_argument("--keep", help="a folder in which the page is left")
    arguments = parser.parse_args()
    recording.BUILT = build(arguments)
    try:
        driver, chromium = browser.start()
    except unittest.SkipTest as reason:
        print(reason, file=sys.stderr)
        sys.exit(3)
    folder, judgement = recording.Folder(), Judgement()
    try:
        # Spread over a day, the stalls of a recording come in every other minute.
        store = recording.record(folder.path, stalls=max(arguments.stalls // 720, 1) + 1, seconds=8, seed=5)
        recording.make_long(store)
        file = os.path.join(arguments.keep or folder.path, "day.html")
        began = time.monotonic()
        recording.stallwatch("report", store, "--format", "html", "-o", file)
        print(f"     made in {time.monotonic() - began:.1f} s")
        judgement.say("the page", os.path.getsize(file), MOST_BYTES, "bytes")
        opened = []
        for _ in range(ROUNDS):
            with browser.Watched(chromium, width=1440) as watched:
                watched.page.goto(f"file://{file}")
                opened.append(watched.page.evaluate(
                    "new Promise(done => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))"))
        judgement.say("open, drawn and ready for input", min(opened), MOST_OPEN, "ms")
        with browser.Watched(chromium, width=1440) as watched:
            page = watched.page
            page.goto(f"file://{file}")
            page.wait_for_timeout(500)
            box = page.locator("#timeline").bounding_box()
            marks = page.evaluate("JSON.parse(document.getElementById('data').textContent).sessions[0].stalls")
            judgement.say("stalls with a mark", marks, arguments.stalls, "", least=True)
            measure_frames(page, box, judgement)
            measure_selections(page, judgement)
            seek(page, store, box, judgement)
            # The browser minds that this program reads pixels.
            errors = [error for error in watched.errors if "willReadFrequently" not in error]
            judgement.say("errors and requests of the page", len(errors) + len(watched.requests) - 1, 0, "")
    finally:
        chromium.close()
        driver.stop()
        folder.close()
    sys.exit(1 if judgement.failed else 0)


if __name__ == "__main__":
    main()
