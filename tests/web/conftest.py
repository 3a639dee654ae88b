"""A real browser: Playwright drives the Chromium of the system."""

import os
import shutil

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def browser_path() -> str | None:
    """The browser that ``PHASEZOO_BROWSER`` names, or one that is installed."""
    named = os.environ.get("PHASEZOO_BROWSER")
    return named or next(filter(None, map(shutil.which, BROWSERS)), None)


@pytest.fixture(scope="session")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api", reason="make test-web installs it")
    path = browser_path()
    if path is None:
        pytest.skip("no Chromium: apt-get install chromium, or set PHASEZOO_BROWSER")
    with sync_api.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def server():
    from tests.unit.apps.web_serving import served

    with served(threads=1) as running:
        yield running


@pytest.fixture
def complaints():
    """What the page complained about."""
    return []


@pytest.fixture
def page(browser, server, complaints):
    """An empty page at 1280 pixels; what it complains about fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.address)
    opened = context.new_page()
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on(
        "console", lambda said: complaints.append(said.text) if said.type == "error" else None
    )
    yield opened
    context.close()
    unexpected = [each for each in complaints if "WebSocket" not in each]
    assert not unexpected, unexpected
