"""The HTML report in a real browser."""

import os
import re
import sqlite3
import unittest

from . import browser
from .recording import ARTEFACTS, HOSTILE, Folder, copy, make_hostile, make_long, record, stallwatch


class ReportPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.driver, cls.browser = browser.start()
        cls.folder = Folder()
        cls.store = record(cls.folder.path)
        cls.page_file = cls.write(cls.store, "report.html")
        ARTEFACTS.mkdir(parents=True, exist_ok=True)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.driver.stop()
        cls.folder.close()

    @classmethod
    def write(cls, store, name):
        target = os.path.join(cls.folder.path, name)
        stallwatch("report", store, "--format", "html", "-o", target)
        return target

    def open(self, file=None, **options):
        watched = browser.Watched(self.browser, **options)
        watched.page.goto(f"file://{file or self.page_file}")
        watched.page.wait_for_selector("#timeline rect.lane")
        return watched

    def test_is_one_file_without_errors_at_every_width_in_both_themes(self):
        for width in (400, 1280, 2560):
            for theme in ("light", "dark"):
                with self.subTest(width=width, theme=theme), self.open(width=width, theme=theme) as watched:
                    page = watched.page
                    page.screenshot(path=ARTEFACTS / f"report-{width}-{theme}.png", full_page=True)
                    self.assertEqual(watched.errors, [])
                    self.assertEqual(watched.requests, [f"file://{self.page_file}"])
                    overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                    self.assertLessEqual(overflow, 0, "the page scrolls sideways")
                    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
                    self.assertEqual(ground, "rgb(255, 255, 255)" if theme == "light" else "rgb(15, 20, 25)")

    def test_opens_with_the_verdict_and_has_every_part_in_order(self):
        with self.open() as watched:
            parts = watched.page.eval_on_selector_all("#report > section", "all => all.map(one => one.id)")
            self.assertEqual(parts, ["verdict", "time", "causes", "latency", "timers", "drift", "stalls", "loops", "sessions",
                                     "coverage", "health"])
            verdict = watched.page.text_content(".verdict")
            text = stallwatch("report", self.store, "--format", "markdown")
            self.assertIn(verdict[:30], text.replace("\\", ""))

    def test_zooms_by_buttons_keys_and_dragging(self):
        with self.open() as watched:
            page = watched.page
            shown = lambda: page.text_content("#range")
            whole = shown()
            page.click("#zoom-in")
            nearer = shown()
            self.assertNotEqual(nearer, whole)
            page.focus("#timeline")
            page.keyboard.press("+")
            self.assertNotEqual(shown(), nearer)
            before = shown()
            page.keyboard.press("ArrowRight")
            self.assertNotEqual(shown(), before)
            page.keyboard.press("0")
            self.assertEqual(shown(), whole)
            box = page.locator("#timeline").bounding_box()
            # The tick labels at the bottom are no marks.
            y = box["y"] + box["height"] - 6
            page.mouse.move(box["x"] + box["width"] * 0.25, y)
            page.mouse.down()
            page.mouse.move(box["x"] + box["width"] * 0.5, y, steps=4)
            page.mouse.up()
            self.assertNotEqual(shown(), whole)
            page.mouse.dblclick(box["x"] + box["width"] * 0.5, y)
            self.assertEqual(shown(), whole)

    def test_links_stalls_to_their_rows_and_back(self):
        with self.open() as watched:
            page = watched.page
            page.focus("#timeline")
            page.keyboard.press("n")
            stall = page.evaluate("document.activeElement.dataset.stall")
            self.assertIsNotNone(stall)
            page.keyboard.press("Enter")
            self.assertEqual(page.evaluate("location.hash"), f"#stall-{stall}")
            self.assertTrue(page.locator(f"#stall-{stall}").is_visible())
            page.evaluate("location.hash = ''")
            page.locator(f"#stall-{stall} button").click()
            mark = page.locator(f"#timeline a[data-stall='{stall}'] rect")
            box, line = mark.bounding_box(), page.locator("#timeline").bounding_box()
            self.assertGreater(box["width"], line["width"] / 40, "the timeline did not zoom to the stall")
            self.assertGreaterEqual(box["x"], line["x"] - 1)

    def test_marks_every_stall_at_its_time(self):
        rows = sqlite3.connect(self.store).execute(
            "SELECT id FROM stalls WHERE state IN ('ended', 'fatal')").fetchall()
        with self.open() as watched:
            marks = watched.page.eval_on_selector_all("#timeline a[data-stall]", "all => all.map(one => +one.dataset.stall)")
            self.assertEqual(sorted(marks), sorted(row for row, in rows))

    def test_draws_flames_as_wide_as_their_weights(self):
        with self.open() as watched:
            page = watched.page
            checked = 0
            for place in range(page.locator("details.cause").count()):
                details = page.locator(f"#cause-{place}")
                if not details.evaluate("one => one.open"):
                    details.locator("summary").click()
                page.wait_for_selector(f"#cause-{place} .flame button")
                found = details.evaluate("""one => {
                  const box = one.querySelector(".flame").clientWidth;
                  const buttons = [...one.querySelectorAll(".flame button")];
                  return [box, +buttons[0].dataset.weight, buttons.map(b => [+b.dataset.weight, b.getBoundingClientRect().width])];
                }""")
                box, whole, flames = found
                for weight, width in flames:
                    self.assertAlmostEqual(width, box * weight / whole, delta=1.5)
                    checked += 1
            self.assertGreater(checked, 20)

    def test_zooms_a_flame_graph_and_is_read_by_keys(self):
        with self.open() as watched:
            page = watched.page
            page.wait_for_selector("#cause-0 .flame button")
            page.focus("#cause-0 .flame button")
            page.keyboard.press("ArrowDown")
            page.keyboard.press("ArrowDown")
            name = page.evaluate("document.activeElement.textContent")
            self.assertIn(name, page.text_content("#cause-0 .reading"))
            page.keyboard.press("Enter")
            width = page.evaluate("document.activeElement.getBoundingClientRect().width / document.activeElement.parentElement.clientWidth")
            self.assertAlmostEqual(width, 1, delta=0.01)
            page.keyboard.press("Escape")
            self.assertEqual(page.evaluate("document.activeElement.textContent"), "all")

    def test_switches_the_theme_by_hand(self):
        with self.open() as watched:
            page = watched.page
            before = page.evaluate("getComputedStyle(document.body).backgroundColor")
            page.click("#theme")
            self.assertNotEqual(page.evaluate("getComputedStyle(document.body).backgroundColor"), before)

    def test_prints_with_everything_open(self):
        with self.open() as watched:
            pdf = ARTEFACTS / "report.pdf"
            watched.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
            watched.page.emulate_media(media="print")
            closed = watched.page.eval_on_selector_all("details", "all => all.filter(one => !one.open).length")
            self.assertEqual(closed, 0)
            watched.page.pdf(path=pdf)
            self.assertGreater(pdf.stat().st_size, 10_000)

    def test_shows_hostile_names_as_text(self):
        store = copy(self.store, "hostile.stallwatch")
        make_hostile(store)
        file = self.write(store, "hostile.html")
        with self.open(file) as watched:
            page = watched.page
            for place in range(page.locator("details.cause").count()):
                page.evaluate(f"document.getElementById('cause-{place}').open = true")
            page.wait_for_timeout(200)
            self.assertIsNone(page.evaluate("window.hacked ?? null"))
            self.assertEqual(watched.errors, [])
            self.assertEqual(watched.requests, [f"file://{file}"])
            text = page.evaluate("document.body.textContent")
            for name in HOSTILE[:2]:
                self.assertIn(name, text)
            for mark in ("\u202e", "\u2066", "\x1b"):
                self.assertNotIn(mark, text)
            self.assertEqual(page.locator("img").count(), 0)
            self.assertEqual(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), True)
            page.screenshot(path=ARTEFACTS / "report-hostile.png", full_page=True)

    def test_stays_small_for_a_whole_day(self):
        store = copy(self.store, "long.stallwatch")
        make_long(store)
        file = self.write(store, "long.html")
        size = os.path.getsize(file)
        self.assertLess(size, 2_000_000)
        with self.open(file) as watched:
            took = watched.page.evaluate(
                "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
            print(f"a day's page: {size / 1e6:.2f} MB, opened in {took:.0f} ms")
            self.assertIn("24 h", watched.page.text_content("#range"))
            for _ in range(24):
                watched.page.click("#zoom-in")
            start, end = re.match(r"Showing (.*) to (.*) of ", watched.page.text_content("#range")).groups()
            self.assertNotEqual(start, end)
            watched.page.screenshot(path=ARTEFACTS / "report-day.png", full_page=True)
            self.assertEqual(watched.errors, [])


if __name__ == "__main__":
    unittest.main()
