"""A real browser for the tests of pages, where there is one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


def browser_path() -> str | None:
    """Where Chromium is; None if it is nowhere."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((p for p in map(shutil.which, names) if p), None)


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium without a window; the test is skipped where playwright is missing."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        yield running
        running.close()
