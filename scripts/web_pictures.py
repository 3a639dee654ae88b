"""Take the pictures of ``docs/howto/web.md``: the board in a browser, wide and on a phone.

    python scripts/web_pictures.py docs/images

Needs the extra ``web``, Playwright (``uv pip install playwright``) and a Chromium.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

EXPERTS = "m2cts:experts=phasezoo/chess-small,nodes=200,batch_size=8,search_gate=lichess:engine"
SIMPLE = "simple"
PLIES = 46
WAIT_MS = 300_000


def main() -> None:
    """Start a server, play, and take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="folder of the pictures")
    parser.add_argument("--browser", default=shutil.which("chromium"), help="path of the browser")
    given = parser.parse_args()
    command = [sys.executable, "-m", "phasezoo", "web", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().split()[1]
        try:
            with sync_playwright() as driver:
                browser = driver.chromium.launch(
                    executable_path=given.browser, args=["--no-sandbox"]
                )
                _wide(browser, address, given.out / "web.png")
                _phone(browser, address, given.out / "web_phone.png")
                browser.close()
        finally:
            server.terminate()


def _wide(browser: Any, address: str, path: Path) -> None:
    """Two mixtures whose search routes by another gate, and one that looks on."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    _begin(page, address, "chess", [EXPERTS, EXPERTS], "0")
    page.wait_for_selector(f"#pz-moves li:nth-child({PLIES})", timeout=WAIT_MS)
    page.click("#pz-run")
    _choose(page, "#pz-look-agent", EXPERTS)
    page.click("#pz-look")
    page.wait_for_timeout(6_000)
    page.screenshot(path=path, full_page=True)


def _phone(browser: Any, address: str, path: Path) -> None:
    """Pommerman at 360 pixels, in the dark."""
    context = browser.new_context(
        viewport={"width": 360, "height": 740},
        has_touch=True,
        is_mobile=True,
        color_scheme="dark",
        device_scale_factor=2,
    )
    page = context.new_page()
    _begin(page, address, "pommerman-ffa", ["", SIMPLE, SIMPLE, SIMPLE], "0")
    for label in ("stop",) * 12:
        page.tap(f'#pz-keys [aria-label="{label}"]:not([disabled])')
        page.wait_for_timeout(300)
    page.screenshot(path=path)


def _choose(page: Any, field: str, agent: str) -> None:
    """Choose an agent by its text; none is a person."""
    if not agent:
        page.select_option(field, "")
        return
    page.click(f"{field} + button")
    page.wait_for_selector("#pz-agent [name=agent]")
    page.click("#pz-agent form > details > summary")
    page.fill("#pz-agent-text", agent)
    page.click("#pz-agent [type=submit]")
    page.wait_for_selector("#pz-agent", state="hidden")


def _begin(page: Any, address: str, game: str, seats: list[str], pace: str) -> None:
    page.goto(address)
    page.wait_for_selector("#pz-setup[open]")
    page.select_option("[name=kind]", game)
    for player, text in enumerate(seats):
        _choose(page, f"[name=player-{player}]", text)
    page.fill("[name=pace]", pace)
    page.click("#pz-setup-go")
    page.wait_for_selector("#pz-board .spot")


if __name__ == "__main__":
    main()
