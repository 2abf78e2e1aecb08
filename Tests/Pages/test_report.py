"""The HTML report in a real browser."""

import os
import re
import sqlite3
import unittest

from . import browser
from .recording import ARTEFACTS, HOSTILE, Folder, copy, make_hostile, make_long, record, stallwatch
from .waiting import wait


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
        # The page's policy lets the browser's driver poll nothing in it.
        wait(lambda: watched.page.text_content("#range"))
        return watched

    def drag(self, page, left, right, y=50):
        """Drags over parts of the timeline's width."""
        box = page.locator("#timeline").bounding_box()
        page.mouse.move(box["x"] + box["width"] * left, box["y"] + y)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * right, box["y"] + y, steps=4)
        page.mouse.up()

    def stalls(self):
        """Row, start, duration and loop of each stall that has ended."""
        with sqlite3.connect(self.store) as connection:
            return connection.execute(
                "SELECT stalls.id, stalls.started_ns - sessions.started_ns, duration_ns, loops.name FROM stalls JOIN sessions "
                "ON sessions.id = stalls.session JOIN loops ON loops.id = stalls.loop WHERE state IN ('ended', 'fatal')").fetchall()

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
            self.assertEqual(parts, ["verdict", "time", "causes", "stalls", "profiles", "latency", "timers", "drift", "loops",
                                     "sessions", "coverage", "health"])
            verdict = watched.page.text_content(".verdict")
            text = stallwatch("report", self.store, "--format", "markdown")
            self.assertIn(verdict[:30], text.replace("\\", ""))

    def test_zooms_by_buttons_keys_and_the_wheel(self):
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
            page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 40)
            page.keyboard.down("Control")
            page.mouse.wheel(0, -300)
            page.keyboard.up("Control")
            wait(lambda: shown() != whole)
            page.mouse.dblclick(box["x"] + box["width"] * 0.5, box["y"] + 40)
            self.assertEqual(shown(), whole)

    def test_causes_and_stalls_follow_a_range(self):
        with self.open() as watched:
            page = watched.page
            whole = [one for one in page.eval_on_selector_all("#cause-list .figures", "all => all.map(one => one.textContent)")]
            self.drag(page, 0.2, 0.5)
            words = page.text_content("#selected")
            found = re.match(r"From .* to .* of session 1: (\d+) stalls?, ", words)
            self.assertIsNotNone(found, words)
            lasted = max(page.evaluate("JSON.parse(document.getElementById('data').textContent).sessions[0].duration"), 1)
            inside = [row for row, start, length, _ in self.stalls() if start + length >= 0.2 * lasted and start <= 0.5 * lasted]
            self.assertAlmostEqual(int(found[1]), len(inside), delta=1)
            self.assertEqual(page.locator("#chosen-stalls tbody tr").count(), int(found[1]))
            self.assertFalse(page.locator("#worst-stalls").is_visible())
            figures = page.eval_on_selector_all("#cause-list details:not([hidden]) .figures", "all => all.map(one => one.textContent)")
            counted = sum(int(re.search(r" in (\d+) stall", one)[1]) for one in figures)
            self.assertLessEqual(counted, int(found[1]))
            self.assertNotEqual(figures, whole)
            self.assertGreater(page.locator("#spread span").count(), 0)
            page.screenshot(path=ARTEFACTS / "report-range.png", full_page=True)
            page.focus("#timeline")
            page.keyboard.press("Escape")
            self.assertEqual(page.eval_on_selector_all("#cause-list .figures", "all => all.map(one => one.textContent)"), whole)
            self.assertTrue(page.locator("#worst-stalls").is_visible())

    def test_filters_and_keeps_all_in_the_address(self):
        with self.open() as watched:
            page = watched.page
            page.select_option("#filter-loop", label="main")
            page.select_option("#filter-severity", label="hang or worse")
            self.drag(page, 0.1, 0.9)
            words = page.text_content("#selected")
            mains = sum(name == "main" and length >= 500_000_000 for _, _, length, name in self.stalls())
            self.assertLessEqual(int(re.search(r": (\d+) stall", words)[1]), mains)
            page.click("#zoom-selection")
            wait(lambda: "time=" in page.evaluate("location.hash"))
            shown, address = page.text_content("#range"), page.evaluate("location.hash")
            with self.open() as again:
                # Another page goes there from the address alone.
                again.page.goto(f"file://{self.page_file}{address}")
                again.page.reload()
                wait(lambda: again.page.text_content("#range"))
                self.assertEqual(again.page.text_content("#range"), shown)
                self.assertEqual(again.page.text_content("#selected"), words)
                self.assertEqual(again.errors, [])

    def test_keeps_the_filtered_cause_by_its_key(self):
        with self.open() as watched:
            page = watched.page
            page.select_option("#filter-cause", index=1)
            key = page.input_value("#filter-cause")
            self.assertRegex(key, r"^[0-9a-f]{12}$")
            wait(lambda: f"cause={key}" in page.evaluate("location.hash"))
            self.assertEqual(page.locator("#cause-list details:not([hidden])").count(), 1)

    def test_opens_stalls_beside_by_key_link_and_click(self):
        with self.open() as watched:
            page = watched.page
            page.focus("#timeline")
            seen = []
            for _ in self.stalls():
                page.keyboard.press("n")
                seen.append(page.text_content("#reading"))
            # Each stall once, in the order of time.
            order = [row for row, *_ in sorted(self.stalls(), key=lambda row: (row[1], row[0]))]
            self.assertEqual([int(re.match(r"stall (\d+):", words)[1]) for words in seen], order)
            self.assertIn(f"Stall {order[-1]}: ", page.text_content("#stall h3"))
            page.keyboard.press("Enter")
            self.assertEqual(page.evaluate("document.activeElement.id"), "stall")
            page.click("#stall button[aria-label='Close']")
            self.assertFalse(page.locator("#stall").is_visible())
            page.locator("#cause-0 a[href^='#stall-']").click()
            self.assertTrue(page.locator("#stall").is_visible())
            worst = max(self.stalls(), key=lambda row: row[2])
            page.locator(f"#stall-{worst[0]} button").click()
            self.assertIn(f"Stall {worst[0]}: ", page.text_content("#stall h3"))
            story = stallwatch("show", self.store, worst[0])
            self.assertIn(page.text_content("#stall p").split(" for ")[0][:40], " ".join(story.split()))
            # It is in the middle of the timeline now.
            box = page.locator("#timeline").bounding_box()
            tops = page.evaluate("document.getElementById('timeline').clientHeight")
            hits = []
            for y in range(20, int(tops), 6):
                page.mouse.move(box["x"] + box["width"] / 2, box["y"] + y)
                hits.append(page.text_content("#reading"))
            self.assertTrue(any(words.startswith(f"stall {worst[0]}:") for words in hits), hits)
            page.screenshot(path=ARTEFACTS / "report-beside.png", full_page=True)
            self.assertEqual(watched.errors, [])

    def test_says_all_without_a_script(self):
        context = self.browser.new_context(java_script_enabled=False)
        self.addCleanup(context.close)
        page = context.new_page()
        page.goto(f"file://{self.page_file}")
        self.assertTrue(page.locator(".verdict").is_visible())
        self.assertTrue(page.locator("noscript p").first.is_visible())
        self.assertFalse(page.locator("#timeline").is_visible())
        self.assertGreater(page.locator("details.cause summary").count(), 1)
        self.assertGreater(page.locator("#worst-stalls tbody tr").count(), 1)
        self.assertEqual(page.locator(".scripted-only:visible").count(), 0)

    def test_draws_flames_as_wide_as_their_weights(self):
        with self.open() as watched:
            page = watched.page
            checked = 0
            for place in range(page.locator("#cause-list details").count()):
                details = page.locator(f"#cause-{place}")
                if not details.evaluate("one => one.open"):
                    details.locator("summary").click()
                page.wait_for_selector(f"#cause-{place} .flame button")
                found = details.evaluate("""one => {
                  one.querySelector(".whole").click();
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

    def test_searches_turns_and_narrows_a_flame_graph(self):
        with self.open() as watched:
            page = watched.page
            flames = lambda: page.eval_on_selector_all("#cause-0 .flame button", "all => all.map(one => [one.textContent, one.className])")
            plain = flames()
            own = next(name for name, kind in plain if "system" not in kind)
            page.fill("#cause-0 .flame-tools input", own)
            self.assertIn(own, [name for name, kind in flames() if "found" in kind])
            self.assertRegex(page.text_content("#cause-0 .reading"), r"\d+ % of the time is in functions with")
            page.fill("#cause-0 .flame-tools input", "")
            page.click("#cause-0 button:has-text('Own code only')")
            self.assertTrue(all("system" not in kind or name in ("all", "no stack was read") for name, kind in flames()))
            page.click("#cause-0 button:has-text('Own code only')")
            page.click("#cause-0 button:has-text('Invert')")
            weights = page.eval_on_selector_all("#cause-0 .flame button", "all => all.map(one => +one.dataset.weight)")
            self.assertNotEqual(flames(), plain)
            page.click("#cause-0 button:has-text('Invert')")
            self.assertEqual(flames(), plain)
            self.assertEqual(weights[0], page.evaluate("+document.querySelector('#cause-0 .flame button').dataset.weight"))
            page.focus("#cause-0 .flame button")
            page.keyboard.press("ArrowDown")
            name = page.evaluate("document.activeElement.textContent")
            page.click("#cause-0 button:has-text('Only this function')")
            self.assertIn(f"All calls of {name}", page.text_content("#cause-0 .reading"))
            self.assertEqual(flames()[1][0], name)
            page.evaluate("document.addEventListener('copy', () => { window.copied = document.getSelection().toString() || document.activeElement.value; })")
            page.click("#cause-0 button:has-text('Copy stack')")
            self.assertIsNotNone(page.evaluate("window.copied"))
            self.assertEqual(watched.errors, [])

    def test_shows_stacks_that_were_not_read_and_the_profile(self):
        store = copy(self.store, "unread.stallwatch")
        with sqlite3.connect(store) as connection:
            # The first stack of every second stall: nobody read it.
            session, = connection.execute("SELECT id FROM sessions").fetchone()
            empty = connection.execute("INSERT INTO stacks (session, hash, frames) VALUES (?, 1, x'')", (session,)).lastrowid
            connection.execute("UPDATE samples SET stack = ? WHERE number % 2 = 0", (empty,))
        connection.close()
        with self.open(self.write(store, "unread.html")) as watched:
            page = watched.page
            self.assertGreater(page.locator(".flame button.unread").count(), 0)
            self.assertRegex(page.text_content("#causes"), r"For [\d.]+ % of the .* watched no stack was read")
            page.locator("#profile-0 summary").click()
            page.wait_for_selector("#profile-0 .flame button")
            self.assertGreater(page.locator("#profile-0 .flame button").count(), 3)
            self.assertEqual(watched.errors, [])

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
            page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true; })")
            page.focus("#timeline")
            page.keyboard.press("n")
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
        self.assertLess(size, 3_000_000)
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
