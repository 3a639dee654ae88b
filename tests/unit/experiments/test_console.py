import io
import os
import pty
import threading

import pytest

from phasezoo.report.console import TerminalConsole, silent


def test_a_file_gets_plain_whole_lines():
    out = io.StringIO()
    console = TerminalConsole(out)
    console.heading("Training")
    console.note("[bold]kept as it is[/bold] " + "x" * 300)
    console.table("Title", ["", "games"], [["a name [of] some length", "1,234"], ["b", "5"]])
    with console.task("Counting", 10) as task:
        task.update(4, "four")
        task.update(10, "ten, fast")
    text = out.getvalue()
    assert "\x1b" not in text
    lines = text.splitlines()
    assert "[bold]kept as it is[/bold] " + "x" * 300 in lines
    assert "a name [of] some length  1,234" in lines
    assert "b                            5" in lines
    assert lines[-1] == "Counting: ten, fast"
    assert text.count("Counting") == 1


def test_a_terminal_gets_a_bar():
    reader, writer = pty.openpty()
    shown = []

    def read():
        while True:
            try:
                chunk = os.read(reader, 4096)
            except OSError:  # what Linux says once the other side is closed
                break
            if not chunk:
                break
            shown.append(chunk)

    thread = threading.Thread(target=read)
    thread.start()
    with (
        os.fdopen(writer, "w", encoding="utf-8") as stream,
        TerminalConsole(stream).task("Counting", 1000) as task,
    ):
        task.update(1000, "done [well]")
    thread.join(20)
    os.close(reader)
    text = b"".join(shown).decode()
    assert "━" in text
    assert "1,000/1,000" in text
    assert "done [well]" in text


def test_silence_is_silent(capsys):
    console = silent()
    console.heading("x")
    console.note("x")
    console.table("x", ["y"], [["z"]])
    with console.task("x", 1) as task:
        task.update(1)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("columns", [2, 3, 12, 30])
def test_a_wide_table_is_shown_in_parts_that_fit(columns):
    out = io.StringIO()
    head = ["name", *(f"column {place}" for place in range(columns))]
    rows = [[f"row {row}", *(f"{row * place:,}" for place in range(columns))] for row in range(3)]
    TerminalConsole(out).table("Title", head, rows)
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    heads = [line for line in lines if line.startswith("name")]
    assert sum(line.count("column") for line in heads) == columns
    assert sum(line.startswith("row 2") for line in lines) == len(heads)
