"""The galleries show every game of the catalogue and every page of results."""

import re
from pathlib import Path

from environments import pictures
from gallery import CAPTION, game_gallery, report_gallery
from phasezoo.games.catalogue import GAMES
from phasezoo.registration import ENVIRONMENTS

DOCS = Path(__file__).resolve().parents[2] / "docs"


def cards(page: str) -> list[str]:
    return page.split(":::{container} card")[1:]


def test_every_game_has_a_card_with_picture_spaces_gates_and_call() -> None:
    page = game_gallery()
    names = {game.name for game in GAMES}
    assert len(cards(page)) == len(names)
    for name in names:
        card = next(each for each in cards(page) if f"]({name}.svg)" in each)
        assert name in pictures()
        assert all(f"- {fact} `" in card for fact in ("observation", "actions", "gates"))
        assert re.search(r"(games|gym)\.make\(", card)
    for environment in ENVIRONMENTS:
        assert f'gym.make("{environment.gymnasium_id}")' in page


def test_every_page_of_results_has_a_card_with_a_sentence() -> None:
    page = report_gallery(DOCS)
    assert f":caption: {CAPTION}" in (DOCS / "index.md").read_text()
    linked = {found for card in cards(page) for found in re.findall(r"\]\(\.\./(.+)\.md\)", card)}
    written = {
        file.relative_to(DOCS).with_suffix("").as_posix()
        for folder in ("results", "studies")
        for file in (DOCS / folder).glob("*.md")
    }
    assert written <= linked
    for card in cards(page):
        text = card.rpartition("**\n\n")[2].partition("\n")[0]
        assert len(text) > 20
        assert "](" not in text
