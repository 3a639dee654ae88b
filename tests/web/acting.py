"""What a person does on the page."""

import re
import time
from collections.abc import Callable
from typing import Any


def begin(page: Any, address: str, game: str, seats: list[str], **fields: str) -> None:
    """Begin a game by the dialog; an empty seat is a person."""
    page.goto(address)
    page.wait_for_selector("#pz-setup[open]")
    page.select_option("[name=kind]", game)
    for player, text in enumerate(seats):
        choose(page, f"[name=player-{player}]", text)
    for name, value in fields.items():
        page.fill(f"[name={name}]", value)
    page.click("#pz-setup-go")
    page.wait_for_selector("#pz-setup:not([open])", state="hidden")
    page.wait_for_selector("#pz-board .spot, #pz-board svg [data-action]")


def choose(page: Any, field: str, agent: str) -> None:
    """Choose an agent: in its list, or else as text in its form."""
    offered = page.eval_on_selector_all(f"{field} option", "all => all.map(each => each.value)")
    if agent not in offered:
        page.click(f"{field} + button")
        page.wait_for_selector("#pz-agent [name=agent]")
        page.click("#pz-agent form > details > summary")
        page.fill("#pz-agent-text", agent)
        page.click("#pz-agent [type=submit]")
        page.wait_for_selector("#pz-agent", state="hidden")
    else:
        page.select_option(field, agent)
    assert page.input_value(field) == agent


def move(page: Any, *spots: str) -> None:
    """Point at places one after the other, and wait until the move was played."""
    before = plies(page)
    for spot in spots:
        page.click(f'[data-spot="{spot}"]')
    wait_for_plies(page, before + 1)


def plies(page: Any) -> int:
    """How many plies were played."""
    return page.locator("#pz-moves button").count()


def wait_for_plies(page: Any, least: int) -> None:
    until(page, lambda: plies(page) >= least)


def until(page: Any, holds: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait until something holds; the page's policy forbids to do that by a script inside it."""
    ends = time.monotonic() + seconds
    while not holds():
        complaint = page.text_content("#pz-error p")
        assert time.monotonic() < ends, f"waited in vain: {said(page)!r}, {complaint!r}"
        page.wait_for_timeout(30)


def copied(page: Any, button: str) -> str:
    """What a button copies."""
    page.click(button)
    until(page, lambda: "was copied" in said(page))
    return page.evaluate("navigator.clipboard.readText()")


def moves(page: Any) -> list[str]:
    """The moves that were played, without their numbers."""
    texts = page.locator("#pz-moves button").all_inner_texts()
    return [re.sub(r"^\d+[.…] ", "", text.strip()) for text in texts]


def said(page: Any) -> str:
    return page.inner_text("#pz-said")


def error(page: Any) -> str:
    """The error that the page shows; waits for it."""
    page.wait_for_selector("#pz-error:not([hidden])")
    return page.inner_text("#pz-error p")
