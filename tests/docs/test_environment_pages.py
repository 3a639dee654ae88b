"""The pages of environments, made as the site makes them, say what the environments do."""

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import gymnasium
import pytest

from environments import Family, environment_pages, families, pictures
from phasezoo.registration import ENVIRONMENTS

FAMILIES = {family.name: family for family in families()}
SECTIONS = (
    "Description", "Action Space", "Observation Space", "Starting State", "Rewards", "Episode End",
    "Information", "Options", "Gates to begin with", "Version History",
)  # fmt: skip
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
PLANES = re.compile(r"<summary>(.+?): (\d+) planes.*?</details>", re.DOTALL)


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return environment_pages()


def section(page: str, title: str) -> str:
    """The text below a heading of the second level."""
    return page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_every_registered_environment_is_on_one_page(pages: dict[str, str]) -> None:
    assert pages.keys() == FAMILIES.keys()
    for environment in ENVIRONMENTS:
        cell = f"| `{environment.gymnasium_id}`, `phasezoo/{environment.gymnasium_id}` |"
        assert sum(page.count(cell) for page in pages.values()) == 1


@pytest.mark.parametrize("name", FAMILIES)
class TestPage:
    def test_has_the_sections_in_order(self, name: str, pages: dict[str, str]) -> None:
        places = [pages[name].find(f"\n## {title}\n") for title in SECTIONS]
        assert -1 not in places
        assert places == sorted(places)
        assert all(section(pages[name], title).strip() for title in SECTIONS)

    def test_names_every_plane_of_every_choice(self, name: str, pages: dict[str, str]) -> None:
        tables = PLANES.finditer(pages[name])
        specs = re.compile(r"<code>([\w-]+)")
        told = {spec: found[0] for found in tables for spec in specs.findall(found[1])}
        for env in FAMILIES[name].made:
            for spec, (channels, *_) in env.game.plane_specs.items():
                rows = re.findall(r"^\| (\d+) \| (.+?) \|", told[spec], re.MULTILINE)
                assert [int(number) for number, _ in rows] == list(range(channels))
                assert tuple(each for _, each in rows) == env.game.names_of_planes(spec)

    def test_names_every_key_of_infos(self, name: str, pages: dict[str, str]) -> None:
        family: Family = FAMILIES[name]
        told = section(pages[name], "Information").partition("### After a reset")[0]
        for environment in family.lines:
            env = gymnasium.make(environment.gymnasium_id)
            _, info = env.reset(seed=1)
            env.action_space.seed(1)
            *_, after = env.step(env.action_space.sample(info["action_mask"]))
            missing = [key for key in info | after if f"| ``{key}`` |" not in told]
            assert not missing

    def test_names_every_keyword_once(self, name: str, pages: dict[str, str]) -> None:
        told = section(pages[name], "Options")
        for option in FAMILIES[name].options:
            assert len(re.findall(rf"^\| ``?{option.name}``? \|", told, re.MULTILINE)) == 1
            assert option.told or option.text

    def test_keywords_are_those_that_the_class_takes(self, name: str, pages: dict) -> None:
        family: Family = FAMILIES[name]
        given = {option.name: option.default for option in family.options}
        family.kind(**given).close()

    def test_blocks_run(self, name: str, pages: dict[str, str], tmp_path: Path) -> None:
        code = "\n".join(BLOCK.findall(pages[name]))
        assert code
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr

    def test_picture_is_svg(self, name: str, pages: dict[str, str]) -> None:
        game = FAMILIES[name].made[0].game.name
        assert f"```{{image}} {game}.svg" in pages[name]
        assert ElementTree.fromstring(pictures()[game]).tag.endswith("svg")
