"""One document on the console, as a page, as Markdown, as CSV and as frames."""

import csv
import io
import math
from dataclasses import replace

import pytest
from markupsafe import escape
from page_checker import check_page

from phasezoo.arena.statistics.intervals import Interval
from phasezoo.errors import RunDirectoryError
from phasezoo.report import numbers
from phasezoo.report.console import TerminalConsole, plain
from phasezoo.report.document import (
    Claim,
    Column,
    Document,
    Figure,
    Section,
    Table,
    Text,
    columns_by,
    estimate,
    literal,
    published,
)

pytest.importorskip("matplotlib", reason="plots need the extra 'plot'")

ROWS = [
    {"name": "one <b>|", "loss": 1.25, "elo": Interval(12.0, -3.0, 27.0), "theirs": 1.5},
    {"name": "two", "loss": 0.5, "elo": Interval(-40.0, -60.0, -20.0), "theirs": None},
]


def table(**options):
    columns = [
        Column("player", "name"),
        Column("loss", "loss", numbers.decimal, below=lambda row: f"of {len(row)}"),
        published("theirs", numbers.decimal, by="paper"),
        Column("Elo", "elo", numbers.elo_interval, tone=lambda row: row["elo"].value / 50,
               marked=lambda row: row["name"] == "two"),
    ]  # fmt: skip
    return Table("losses", columns, ROWS, "Losses of **both**", **options)


def figure():
    from phasezoo.report import plots

    def draw():
        made, plot = plots.axes(3, 2)
        plot.plot([0, 1], [0, 1])
        return made

    return Figure("line", draw, "A line & more.", "It rises.")


CLAIMS = [
    Claim("Experts <win> 50 %.", "They *did*.", "if above", "agrees"),
    Claim("They are slow.", "Unclear.", "if below", "not settled"),
]


@pytest.fixture
def document():
    inner = Section("Numbers", [Text("More."), table(strong=lambda row: row["name"] == "two")])
    hidden = Section(
        "Details", [Table.of_pairs("pairs", [("a", 1)], ("key", "value"))], folded=True
    )
    return Document(
        title="Does it pay?",
        headline="It does, 12 % more",
        lead="With `code`, **bold** and <script>alert(1)</script>.",
        kicker="phasezoo · test",
        source="thesis",
        answer=[Text("- first\n- second")],
        items=[
            Section("Claims", CLAIMS),
            Section("Results & more", [inner, figure()]),
            Section("Results & more", [hidden]),
        ],
    )


def test_parts_are_found_by_name(document):
    assert list(document.tables) == ["losses", "pairs"]
    with pytest.raises(KeyError, match=r"'loss': no such table; did you mean 'losses'.*pairs"):
        document.tables["loss"]
    assert list(document.figures) == ["line"]
    assert document.claims == CLAIMS
    assert document.judgements == {"agrees": 1, "disagrees": 0, "not settled": 1}


def test_a_statement_tried_elsewhere_is_a_claim_that_is_not_counted():
    aside = Claim("Elsewhere too.", "No.", "if above", "disagrees", counted=False)
    document = Document("t", "h", [*CLAIMS, aside])
    assert document.claims[-1] == aside
    assert document.judgements == {"agrees": 1, "disagrees": 0, "not settled": 1}


def test_an_estimate_has_its_ends_below_it():
    columns = [Column("player", "name"), estimate("Elo", "elo", numbers.whole)]
    rows = [*ROWS, {"name": "three", "elo": None}]
    found = Table("elo", columns, rows)
    assert [row[1] for row in found.texts()] == ["12 (−3 to 27)", "−40 (−60 to −20)", "–"]
    assert found.records()[0] == {"player": "one <b>|", "Elo": 12, "Elo low": -3, "Elo high": 27}
    assert "12 <small>−3 to 27</small>" in Document("t", "h", [found]).to_html()


def test_a_page_is_whole_and_shows_text_as_text(document):
    words, images = check_page(document.to_html())
    assert images == 1
    for text in ("one <b>|", "<script>alert(1)</script>", "Experts <win> 50 %.", "1.250", "of 4"):
        assert text in words
    page = document.to_html()
    assert "<code>code</code>" in page
    assert "<li>first</li>" in page
    assert str(escape("<script>")) in page
    assert 'class="better" style="--strength: 0.24"' in page
    assert 'class="worse own" style="--strength: 0.80"' in page
    assert '<tr class="stress"><th scope="row">two' in page
    assert "<details><summary>Details</summary>" in page


def test_a_notebook_shows_the_same_contents(document):
    part = document._repr_html_()
    assert part.startswith("<div")
    assert "Experts &lt;win&gt;" in part
    assert "<html" not in part


def test_markdown_keeps_every_cell_and_caption(document):
    text = document.to_markdown()
    assert "# Does it pay?" in text
    assert "### Numbers" in text
    assert "| one \\<b\\>\\| | 1.250 (of 4) | 1.500 | +12 ± 15 |" in text
    assert "| two | 0.500 (of 4) | – | −40 ± 20 |" in text
    assert "| Experts <win> 50 %. | They *did*. | if above | agrees |" in text
    assert "*A line & more.*" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.replace("\\|", "").count("|") for line in rows} == {3, 5}


def test_values_come_as_records_frames_and_csv(document, tmp_path):
    found = document.tables["losses"].records()
    assert found[0] == {
        "player": "one <b>|", "loss": 1.25, "paper": 1.5,
        "Elo": 12.0, "Elo low": -3.0, "Elo high": 27.0,
    }  # fmt: skip
    pytest.importorskip("pandas")
    frame = document.tables["losses"].to_frame()
    assert list(frame["Elo low"]) == [-3.0, -60.0]
    files = document.write_tables(tmp_path / "tables")
    assert [file.name for file in files] == ["losses.csv", "pairs.csv"]
    read = list(csv.DictReader(io.StringIO(files[0].read_text())))
    assert [row["loss"] for row in read] == ["1.25", "0.5"]
    assert read[1]["paper"] == ""


@pytest.mark.parametrize(
    ("interval", "signed", "text"),
    [
        (Interval(1.5, 1.0, 2.0), False, "1.50 (1.00 to 2.00)"),
        (Interval(1.5, -1.0, 2.0), True, "+1.50 (−1.00 to +2.00)"),
        (Interval(1.5, -math.inf, math.inf), False, "1.50 (no interval)"),
        (None, False, "–"),
    ],
)
def test_an_estimate_has_its_ends_below(interval, signed, text):
    found = Table("one", [Column("", 0), estimate("loss", 1, 2, signed=signed)], [("a", interval)])
    assert found.texts() == [["a", text]]


def test_a_literal_text_is_shown_as_it_is():
    text = "*a* [b](c) __d__ <i> `e` \\ &lt; ~f~"
    document = Document("t", "h", [Text(literal(text)), Section("s", [table()])])
    words, _ = check_page(document.to_html())
    assert text in words
    assert plain(literal(text)) == text


def test_a_table_without_rows_has_its_head_everywhere():
    empty = Table("none", [Column("player", "name"), Column("loss", "loss")], [])
    assert empty.to_csv() == "player,loss\n"
    assert len(empty.to_frame()) == 0
    page = Document("t", "h", [empty]).to_html()
    assert '<th scope="col">loss</th>' in page


def test_the_console_shows_tables_and_claims_but_no_details(document):
    out = io.StringIO()
    document.show(TerminalConsole(out))
    text = out.getvalue()
    assert "Losses of both" in text
    assert "agrees       Experts <win> 50 %." in text
    assert "Rule: if below" in text  # why it is not settled
    assert "Rule: if above" not in text
    assert "They did." in text
    assert "key" not in text
    assert text.rstrip().endswith("It does, 12 % more.")


def test_a_page_that_grows_is_loaded_again():
    assert 'http-equiv="refresh" content="30"' in Document("t", "h", [], refresh_s=30).to_html()


def test_counts_and_names_stand_in_running_text():
    assert numbers.plural(1, "leaf", "leaves") == "one leaf"
    assert numbers.plural(30, "game") == "30 games"
    names = [numbers.listed(each) for each in ((), ("a",), ("a", "b"), ("a", "b", "c"))]
    assert names == ["", "a", "a and b", "a, b and c"]


def test_the_console_shows_no_table_that_it_has(document):
    out = io.StringIO()
    document.show(TerminalConsole(out), without={"losses"})
    text = out.getvalue()
    assert "Losses of both" not in text
    assert "Numbers" not in text  # a heading of nothing
    assert "agrees       Experts <win> 50 %." in text


def test_a_table_has_a_column_for_each_key():
    columns = columns_by(
        ["loss", "theirs"],
        lambda row, key: row[key],
        numbers.decimal,
        head=str.upper,
        below=lambda row, key: f"{key} of {row['name']}",
        marked=lambda row, key: row["name"] == "two" and key == "loss",
    )
    found = Table("by key", [Column("", "name"), *columns], ROWS)
    assert found.head == ["", "LOSS", "THEIRS"]
    assert found.texts()[1] == ["two", "0.500 (loss of two)", "– (theirs of two)"]
    assert [column.marked(ROWS[1]) for column in columns] == [True, False]
    assert columns[0].tone is None


def test_a_wide_table_has_second_lines_below_and_80_columns():
    columns = columns_by(
        range(4), lambda row, key: 1000 + key, below=lambda row, key: "−0.034 to +0.010"
    )
    wide = Table("wide", [Column("network", str), *columns], ["one", "two"], note="A *note*.")
    lines = str(wide.__rich__()).splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split()[0] for line in lines[3:5]] == ["one", "−0.034"]
    assert lines[-1] == "A note."
    narrow = replace(wide, columns=wide.columns[:2])
    assert "one      1000 (−0.034 to +0.010)" in str(narrow.__rich__()).splitlines()


@pytest.mark.parametrize(
    ("number", "text"), [(0, "no games"), (1, "one game"), (2, "two games"), (13, "13 games")]
)
def test_a_count_has_its_noun_in_the_right_number(number, text):
    assert numbers.plural(number, "game") == text


def test_names_are_listed_with_and_before_the_last():
    assert [numbers.listed("abc"[:n]) for n in range(4)] == ["", "a", "a and b", "a, b and c"]


def test_a_range_of_one_number_is_that_number():
    assert numbers.between("3", "3") == "3"
    assert numbers.between("3", "5") == "3 to 5"


def test_a_cell_carries_the_heading_that_stands_beside_it_on_a_phone():
    columns = [Column("network", 0), Column("loss & more", 1), Column("Elo", 2)]
    page = Document("Title?", "Answer", [Table("t", columns, [("one", 2, 3)])]).to_html()
    assert '<td data-head="loss &amp; more">2</td>' in page
    assert '<div class="scroll stacked">' in page


def test_tables_are_written_where_a_text_says(document, tmp_path):
    files = document.write_tables(str(tmp_path / "new" / "tables"))
    assert [path.name for path in files] == ["losses.csv", "pairs.csv"]
    (tmp_path / "file").write_text("")
    with pytest.raises(RunDirectoryError, match="file"):
        document.write_tables(tmp_path / "file")
