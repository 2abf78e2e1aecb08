"""A headless Chromium for tests, and a page in it that takes notes."""

import os
import subprocess
import sys
import unittest

from .recording import ROOT

CHROMIUM = "/usr/bin/chromium"


def start():
    """Starts the browser, which is installed where it is missing. Without it the tests are skipped, in CI they fail."""
    try:
        subprocess.run([ROOT / "tools" / "build" / "prepare", "chromium"], check=True, stdout=sys.stderr)
        from playwright.sync_api import sync_playwright
        driver = sync_playwright().start()
        return driver, driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    except Exception as error:  # Whatever is missing, the reason is printed.
        if os.environ.get("CI"):
            raise
        print(f"pages are not looked at: {error}", file=sys.stderr)
        raise unittest.SkipTest(f"no browser: {error}") from error


class Watched:
    """A page with what went wrong in it and what it asked for."""

    def __init__(self, browser, width=1280, height=900, theme="light"):
        self.context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
        # In milliseconds. As generous as waiting.wait: on a busy machine the page, too, waits for its turn.
        self.context.set_default_timeout(90_000)
        self.page = self.context.new_page()
        self.errors, self.requests = [], []
        self.page.on("console", lambda message: self.errors.append(message.text) if message.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()
