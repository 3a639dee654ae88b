"""Tables and figures of the pages of results come from measurements."""

import json
import re
from pathlib import Path

import pytest

from measured import (
    Unmeasured,
    figures_of,
    measured_pages,
    rendered,
    sections,
    tables_of,
    unheld,
)
from phasezoo import experiments
from phasezoo.report.document import Claim, Column, Document, Table

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = measured_pages(DOCS)

ROWS = [[1, [0.5, 0.25, 0.75]], ["all", {"bold": [-1, "-inf", 2]}], ["no games", None]]


@pytest.fixture
def page(tmp_path):
    """A page with a table and a sentence, and its measurements."""
    columns = [{"head": "games", "form": "count"}, {"head": "Elo", "form": "signed 2"}]
    runs = {"first": {"tables": {"games": {"columns": columns, "rows": ROWS}}}}
    file = tmp_path / "results" / "play.md"
    file.parent.mkdir()
    file.write_text("# Play\n\n<!-- table: first/games -->\n\nIt is +0.50 (+0.25 to\n+0.75).\n")
    file.with_suffix(".json").write_text(json.dumps({"runs": runs}))
    return file


def test_every_page_of_results_has_measurements():
    assert set((DOCS / "results").glob("*.md")) <= set(PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_as_its_measurements_render_it(page):
    assert page.read_text(encoding="utf-8") == rendered(page), "make docs writes it"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_figure_of_sentences_is_in_one_under_its_heading(page):
    kept = json.loads(page.with_suffix(".json").read_text())["figures"]
    written = {(head, each) for head, text, _ in sections(page) for each in figures_of(text)}
    assert {(head, each) for head, figures in kept.items() for each in figures} <= written


@pytest.mark.parametrize(
    "page", sorted((DOCS / "results").glob("*.md")), ids=lambda page: page.stem
)
def test_long_tables_are_folded_and_an_answer_comes_first(page):
    text = page.read_text(encoding="utf-8")
    assert re.search(r"^(- )?\*\*.+\*\*", "\n".join(text.splitlines()[:14]), re.MULTILINE)
    shown = re.sub(r"<details>.*?</details>", "", text, flags=re.DOTALL)
    for table in re.findall(r"(?:^\|.*\n)+", shown, re.MULTILINE):
        head, _, *rows = table.splitlines()
        assert len(rows) <= 8, head


def test_results_in_the_readme_are_measured():
    assert {heading for heading, _ in unheld(ROOT / "README.md")} <= {"Install"}


def test_a_table_is_written_below_its_line_whatever_stood_there(page):
    table = "| games | Elo |\n| --- | ---: |\n| 1 | +0.50 (+0.25 to +0.75) |\n"
    table += "| all | **−1.00 (−∞ to +2.00)** |\n| no games | – |\n"
    first = rendered(page)
    assert first == page.read_text().replace("-->\n", "-->\n" + table)
    page.write_text(first.replace("+0.50 (+0.25 to +0.75) |", "+9.00 |"))
    assert rendered(page) == first


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            "first/games",
            "second/games",
            "no table 'second/games' in results/play.json, which has first/",
        ),
        ("\n+0.75", "\n+0.76", r"no measurement holds '\+0.50 \(\+0.25 to \+0.76\)' under"),
        ("<!-- table: first/games -->", "| 1 |\n|---|\n", r"begins with '\| 1 \|' is typed"),
    ],
)
def test_what_no_measurement_holds_is_refused(page, before, after, message):
    page.write_text(page.read_text().replace(before, after))
    with pytest.raises(Unmeasured, match=message):
        rendered(page)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("signed 2", "signd 2", "play.json: first/games: unknown form 'signd 2'; expected"),
        ("[1, [", "[1, 2, [", "first/games: 2 columns, and the row .* has 3 cells"),
        ("{", "", "play.json: not JSON"),
    ],
)
def test_measurements_that_cannot_be_read_are_named(page, before, after, message):
    file = page.with_suffix(".json")
    file.write_text(file.read_text().replace(before, after, 1))
    with pytest.raises(Unmeasured, match=message):
        rendered(page)


def test_a_figure_may_be_listed_or_come_from_a_page_that_is_linked(page):
    page.write_text("# Play\n\nIt is 7.5 %.\n\n## Then\n\nIt was 7.4 %.\n")
    data = json.loads(page.with_suffix(".json").read_text())
    page.with_suffix(".json").write_text(json.dumps(data | {"figures": {"Play": ["7.5 %"]}}))
    assert list(unheld(page)) == [("Then", "7.4 %")]
    other = page.with_name("other.md")
    other.write_text("# Other\n\n7.5 %, [as there](play.md#play), and 7.6 %, 3 games, `1.5`.\n")
    assert list(unheld(other)) == [("Other", "7.6 %")]


def test_a_quoted_column_repeats_what_is_measured_elsewhere(page):
    data = json.loads(page.with_suffix(".json").read_text())
    table = {"columns": [{"head": "ours", "quoted": True}], "rows": [["+0.50"], ["+0.51"]]}
    data["runs"]["survey"] = {"tables": {"claims": table}}
    page.with_suffix(".json").write_text(json.dumps(data))
    assert list(unheld(page)) == [("survey/claims", "+0.51")]


def test_settings_and_numbers_of_figures_are_no_figures():
    text = "Fig. 4.7: C = 2.5, 20 games, 95 % intervals, torch 2.13.0: −41 ± 97, 1,234.5, 96.9 %"
    assert figures_of(text) == ["−41 ± 97", "1,234.5", "96.9 %"]


def test_tables_of_a_run_are_those_of_its_report(page, monkeypatch):
    (page.with_suffix("") / "again").mkdir(parents=True)
    (page.with_suffix("") / "again" / "results.json").write_text("{}")
    claim = Claim("It wins.", "It won 3.5 %.", "Over half.", "disagrees")
    table = Table("games", [Column("won", 0)], [[3]])
    document = Document("Does it?", "No.", [table, claim])
    monkeypatch.setattr(experiments, "open", lambda folder: {"again": document}[folder.name])
    assert [*tables_of(page)] == ["first/games", "again/games", "again/claims"]
    page.write_text("# Play\n\n<!-- table: again/claims -->\n")
    assert "| It wins. | It won 3.5 %. | Over half. | disagrees |" in rendered(page)
    (page.with_suffix("") / "again").rename(page.with_suffix("") / "first")
    with pytest.raises(Unmeasured, match="holds a run that results/play"):
        rendered(page)


def test_no_record_of_a_run_names_a_folder_of_its_machine():
    """Absolute paths are of one machine: records of published runs have them shortened."""
    records = [*DOCS.rglob("config.json"), *DOCS.rglob("results.json")]
    assert records
    for record in records:
        found = re.findall(r'(?:"|\s)/(?:home|root|work|tmp|Users|mnt)/[^"\s]*', record.read_text())
        assert not found, (record, found[:3])
