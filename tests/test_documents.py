"""What the documents show runs as it stands, and what they and the code refer to exists."""

import multiprocessing
import os
import re
import shlex
import sys
import tempfile
import types
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from phasezoo.apps.cli import main

ROOT = Path(__file__).resolve().parent.parent
MADE = ("_build", "environments", "reference", "reports")
"""Folders of the docs whose pages are made when the site is built (``tests/docs``)."""
DOCS = sorted(
    page
    for page in (ROOT / "docs").rglob("*.md")
    if page.relative_to(ROOT / "docs").parts[0] not in MADE
)
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *DOCS]
SOURCES = ("src", "crates", "tests", "scripts", "benchmarks", "examples")

CONTRACT = ROOT.parent / "shared" / "USAGE.md"
SECTION = re.compile(r"^## (?P<number>\d+)\.", re.MULTILINE)
SECTIONS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 15)
"""Sections of that page which the package fulfils; later ones are still to come."""

SHELL = re.compile(r"^```sh\n(?P<code>.*?)^```", re.MULTILINE | re.DOTALL)
SUBCOMMANDS = {
    "reproduce": ("m2cts", "representation", "krk", "atomic", "beam"),
    "data": ("fetch", "import", "phases", "show", "solve", "stats"),
    "bench": ("inference",),
}
BLOCK = re.compile(
    r"^```python[^\n]*\n(?P<code>.*?)^```\n(?:\n?```text\n(?P<output>.*?)^```)?",
    re.MULTILINE | re.DOTALL,
)
"""A block, and what it writes if the page shows it; ``…`` stands for what differs by machine."""
JOINED = "<!-- The blocks of this page build on each other. -->"
"""Stands in pages whose blocks are one program."""
LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^#+ (?P<title>.+)$", re.MULTILINE)
CITATION = re.compile(r"docs/(?P<page>[\w/]+\.md)(?P<anchor>#[\w-]+)?")


WRITES = re.compile(r"\bout=|\.save\(|Writer\(|\bpgn=|\bopen\(")
"""Stands in blocks that leave files."""

LEARNS = ("training.train_", ".learn(", "training.SelfPlay(", "experiments.reproduce(")


def case(code: str, name: str, output: str | None = None) -> ParameterSet:
    """A block as a case; of those that train, those of the first page alone are not slow."""
    slow = any(word in code for word in LEARNS) and not name.startswith("README")
    return pytest.param(code, output, id=name, marks=pytest.mark.slow if slow else ())


def page_blocks() -> list:
    """One case per block of Python in the README and in the docs, or per page if it says so."""
    cases = []
    for page in PAGES:
        blocks = [(found["code"], found["output"]) for found in BLOCK.finditer(page.read_text())]
        if blocks and JOINED in page.read_text():
            codes, outputs = zip(*blocks, strict=True)
            shown = "".join(filter(None, outputs)) if any(outputs) else None
            blocks = [("\n".join(codes), shown)]
        cases += [
            case(code, f"{page.stem}-{number}", output)
            for number, (code, output) in enumerate(blocks, 1)
        ]
    return cases


def contract_blocks() -> list:
    """One case per block of the contract page's sections; a single skipped one if it is absent."""
    if not CONTRACT.is_file():
        reason = "the contract page lies outside the repository; docs/usage.md stands for it"
        return [pytest.param("", None, id="absent", marks=pytest.mark.skip(reason=reason))]
    text = CONTRACT.read_text()
    starts = [*SECTION.finditer(text)]
    ends = [*(found.start() for found in starts[1:]), len(text)]
    spans = zip(starts, ends, strict=True)
    parts = {int(found["number"]): text[found.end() : end] for found, end in spans}
    return [
        case(code, f"section-{section}-{number}")
        for section in SECTIONS
        for number, (code, _) in enumerate(BLOCK.findall(parts[section]), 1)
    ]


def program(code: str, folder: Path, written: Path) -> None:
    """Run a program in this process, as ``python -c`` does."""
    warnings.filterwarnings("error", category=DeprecationWarning, module="phasezoo")
    os.chdir(folder)
    for number, name in enumerate(("output", "errors"), 1):
        with (written / name).open("w") as file:
            os.dup2(file.fileno(), number)
    sys.argv, sys.path[0] = ["-c"], ""
    sys.modules["__main__"] = main = types.ModuleType("__main__")
    exec(compile(code, "<string>", "exec"), vars(main))


def run(code: str, folder: Path) -> str:
    """Return the output of a program in ``folder``; all that it wrote is the message if it fails.

    It has a process of its own, in which nothing of the package is loaded.
    """
    context = multiprocessing.get_context("forkserver")
    with tempfile.TemporaryDirectory() as written:
        process = context.Process(target=program, args=(code, folder, Path(written)))
        process.start()
        process.join(280)
        process.kill()
        process.join()
        output, errors = ((Path(written) / name).read_text() for name in ("output", "errors"))
    assert process.exitcode == 0, output + errors
    return output


def is_shown(output: str, shown: str) -> bool:
    """Whether a page shows an output, line by line."""
    lines, wanted = output.splitlines(), shown.splitlines()
    patterns = (".*".join(map(re.escape, line.split("…"))) for line in wanted)
    return len(lines) == len(wanted) and all(map(re.fullmatch, patterns, lines))


@pytest.mark.parametrize(("code", "shown"), page_blocks())
def test_block_runs(code: str, shown: str | None, tmp_path: Path) -> None:
    output = run(code, tmp_path)
    if WRITES.search(code):
        run(code, tmp_path)  # as a reader does, who runs it again
    assert shown is None or is_shown(output, shown), f"the page shows\n{shown}it writes\n{output}"


@pytest.mark.parametrize(("code", "shown"), contract_blocks())
def test_contract_block_runs(code: str, shown: None, tmp_path: Path) -> None:
    assert shown is None
    run(code, tmp_path)


def test_an_output_is_compared_line_by_line():
    assert is_shown("a 1.25\nb\n", "a …\nb\n")
    assert not is_shown("a 1.25\nb\nc\n", "a …\nb\n")
    assert not is_shown("a\n", "A\n")


EXAMPLES = sorted((ROOT / "examples").glob("*.py"))

SMALL: dict[str, dict[str, object]] = {
    "01_play_gymnasium": {"boards": 8, "steps": 60},
    "02_own_gate": {"games": 2, "shown": 1},
    "03_own_agent": {"games": 2, "nodes": 20},
    "04_own_game": {"count": 4, "simulations": 10},
    "05_search_by_nodes": {"budgets": (10, 100), "count": 10},
    "06_pommerman_team": {"games": 1, "simulations": 4},
    "07_own_network": {"positions": 500, "games": 2},
    "08_sb3_krk": {"steps": 8_192, "count": 4},
    "09_own_pgn": {"positions": 600, "test_games": 4},
    "10_experts": {"stones": (34,), "nodes": 10, "games": 2},
    "11_ppo": {"arguments": ["--steps", "2048"]},
    "12_stockfish": {"games": 2},
    "13_generalise_own_game": {"games": 100},
    "14_learn_by_play": {"updates": 1, "games_per_update": 4, "games": 2},
}
"""Sizes at which each example runs in seconds; the sizes that show its point are its defaults."""

ENDS = {
    "01_play_gymnasium": "moves a second",
    "02_own_gate": "plies without queens",
    "03_own_agent": "v the shuffler: .* Elo",
    "04_own_game": "v random play in Othello",
    "05_search_by_nodes": "moves wasted a move",
    "06_pommerman_team": "frames",
    "07_own_network": "v the untrained one: .* Elo",
    "08_sb3_krk": "95 %",
    "09_own_pgn": "experts (help|cost|neither)",
    "10_experts": "stones on: .* Elo",
    "11_ppo": "of the last .* games of training",
    "12_stockfish": "scored .* against",
    "13_generalise_own_game": "points more wins thrown away",
    "14_learn_by_play": "v UCT, 64 random games a move: .* Elo",
}
"""What the last line of each example says."""


def test_every_example_is_run() -> None:
    assert [path.stem for path in EXAMPLES] == sorted(SMALL) == sorted(ENDS)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_twice_in_one_folder(example: Path, tmp_path: Path) -> None:
    # Run again, as a reader does, if anything is left to be met: a file, or a registered name.
    left = "True" if "register(" in example.read_text() else "os.listdir()"
    main = f"runpy.run_path({str(example)!r})['main'](**{SMALL[example.stem]!r})"
    code = f"import os, runpy; {main}\nif {left}: print('AGAIN', flush=True); {main}"
    shown = run(code, tmp_path)
    for text in shown.split("AGAIN\n"):
        assert re.search(ENDS[example.stem], text.splitlines()[-1]), text


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_whole(example: Path, tmp_path: Path) -> None:
    code = f"import runpy; runpy.run_path({str(example)!r}, run_name='__main__')"
    assert re.search(ENDS[example.stem], run(code, tmp_path).splitlines()[-1])


def shell_lines() -> list[str]:
    """The distinct commands of the package that the pages show, without what follows a ``#``."""
    text = "\n".join(found for page in PAGES for found in SHELL.findall(page.read_text()))
    lines = text.replace("\\\n", " ").splitlines()
    commands = (line.partition("#")[0].strip() for line in lines)
    return sorted({line for line in commands if line.startswith("phasezoo ")})


@pytest.mark.parametrize("line", shell_lines())
def test_shown_commands_have_their_options(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, command, *words = shlex.split(line)
    given = [command]
    if command in SUBCOMMANDS:
        assert words[0] in SUBCOMMANDS[command]
        given.append(words[0])
    if "--game" in words:  # decides which options there are, as the next two do
        given += ["--game", words[words.index("--game") + 1]]
    given += [word for word in ("--curve", "--from-scratch") if word in words]
    with pytest.raises(SystemExit) as ended:  # as argparse ends after help
        main([*given, "--help-all"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    missing = [word for word in words if word.startswith("--") and word not in shown]
    assert not missing


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and MyST make them."""
    titles = (found["title"].lower() for found in HEADING.finditer(page.read_text()))
    plain = (re.sub(r"[^\w\s-]", "", title) for title in titles)
    return {re.sub(r"\s", "-", title.strip()) for title in plain}


def missing(page: Path, anchor: str) -> str | None:
    """What is missing of a page and an anchor of it (empty: the page alone)."""
    if page.parent.name in MADE and page.parent.parent == ROOT / "docs":
        return None
    if not page.exists():
        return f"no file {page.relative_to(ROOT)}"
    if anchor and anchor not in anchors(page):
        return f"no heading #{anchor} in {page.relative_to(ROOT)}"
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_links_lead_somewhere(page: Path) -> None:
    targets = {found["target"] for found in LINK.finditer(page.read_text())}
    inside = sorted(target for target in targets if "://" not in target)
    places = [target.partition("#") for target in inside]
    wrong = [
        missing((page.parent / name).resolve() if name else page, anchor)
        for name, _, anchor in places
    ]
    assert not [each for each in wrong if each]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_pages_of_the_site_link_to_no_page_outside_it(page: Path) -> None:
    docs = ROOT / "docs"
    if not page.is_relative_to(docs):
        pytest.skip("no page of the site")
    names = {found["target"].partition("#")[0] for found in LINK.finditer(page.read_text())}
    pages = [name for name in names if name.endswith(".md") and "://" not in name]
    assert all((page.parent / name).resolve().is_relative_to(docs) for name in pages), pages


def citations() -> Iterator[tuple[Path, str, str]]:
    """Every mention of a page of the docs in code: where, which page, which heading."""
    for folder in SOURCES:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in (".py", ".pyi", ".rs"):
                for found in CITATION.finditer(file.read_text()):
                    yield file, found["page"], (found["anchor"] or "#")[1:]


def test_code_cites_pages_that_exist() -> None:
    wrong = [
        f"{file.relative_to(ROOT)}: {reason}"
        for file, page, anchor in citations()
        if (reason := missing(ROOT / "docs" / page, anchor))
    ]
    assert not wrong


def test_every_definition_is_listed() -> None:
    folder = ROOT / "docs" / "definitions"
    listed = {found["target"] for found in LINK.finditer((folder / "index.md").read_text())}
    assert {page.name for page in folder.glob("*.md")} - {"index.md"} <= listed


def test_the_tables_of_self_play_are_cited_for_what_they_hold() -> None:
    """M2CTS has the settings of learning in Table XI and those of playing in Table XII."""
    learning, playing = (
        re.compile(r"loss|weights|rate|batches"),
        re.compile(
            r"nodes|noise|round|sample|played|self-play settings|search|constant", re.IGNORECASE
        ),
    )
    texts = [*PAGES, *(ROOT / "src").rglob("*.py"), *(ROOT / "crates").rglob("*.rs")]
    lines = [line for text in texts for line in text.read_text(encoding="utf-8").splitlines()]
    eleven = [line for line in lines if re.search(r"Table XI\b", line) and '"XII"' not in line]
    twelve = [line for line in lines if re.search(r"Table XII\b", line)]
    assert len(eleven) >= 3
    assert len(twelve) >= 8
    assert [line for line in eleven if not learning.search(line)] == []
    assert [line for line in twelve if not playing.search(line)] == []
    assert [line for line in eleven if re.search(r"Dirichlet|nodes", line)] == []
