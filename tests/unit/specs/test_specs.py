"""The one grammar of options: texts, typed values and their ranges, registries."""

import warnings
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from annotated_types import Ge, Gt, Interval, Lt, MinLen, MultipleOf
from hypothesis import given, strategies as st

from phasezoo import agents, games, gating, networks
from phasezoo.errors import InvalidConfig, UnknownGame
from phasezoo.specs import (
    UNKNOWN,
    Recipe,
    Registry,
    SpecText,
    Unit,
    changed,
    check,
    descriptions_of,
    fields_of,
    read_spec,
    read_value,
    renamed,
    values_of,
    write_spec,
    write_value,
)

KEYS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]*( [A-Za-z0-9_]+)?", fullmatch=True)


@pytest.mark.parametrize(
    ("text", "name", "first", "options"),
    [
        ("random", "random", None, {}),
        (" random : seed = 2 ", "random", None, {"seed": "2"}),
        ("sb3:dir/model.zip", "sb3", "dir/model.zip", {}),
        ("sb3:C:/a=b.zip,planes=v2", "sb3", "C:/a=b.zip", {"planes": "v2"}),
        ("sb3:'a=b,c.zip'", "sb3", "a=b,c.zip", {}),
        ("mcts:gate='plies:14,28',nodes=4", "mcts", None, {"gate": "plies:14,28", "nodes": "4"}),
        ('x:a="it\'s ""so""",b=\'\'', "x", None, {"a": 'it\'s "so"', "b": ""}),
        ("uci:stockfish,Move Overhead=10", "uci", "stockfish", {"Move Overhead": "10"}),
        ("x:a=b=c", "x", None, {"a": "b=c"}),
        ("x:don't", "x", "don't", {}),
        ("./mine.py:play", "./mine.py", "play", {}),
        ("/home/me/mine.py:Mine,depth=3", "/home/me/mine.py", "Mine", {"depth": "3"}),
        ("../mine.py:Mine", "../mine.py", "Mine", {}),
    ],
)
def test_the_grammar(text, name, first, options):
    assert read_spec(text) == SpecText(name, first, options)


@given(
    first=st.none() | st.text(max_size=12),
    options=st.dictionaries(KEYS, st.text(max_size=12), max_size=4),
)
def test_what_is_written_is_read_again(first, options):
    spec = SpecText("name", first, options)
    assert read_spec(write_spec(spec)) == spec


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (int, "12", 12),
        (int | None, "none", None),
        (float, "1", 1.0),
        (float | None, "-0.5", -0.5),
        (bool, "False", False),
        (str, "12", "12"),
        (str | None, "none", None),
        (int | str, "12", 12),
        (int | str, "v2", "v2"),
    ],
)
def test_values_have_the_type_of_the_option(kind, text, value):
    found = read_value("option", kind, text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(("kind", "text"), [(int, "1.5"), (float, "nan"), (bool, "1"), (int, "")])
def test_values_of_other_types(kind, text):
    with pytest.raises(InvalidConfig, match=f"option='{text}': expected"):
        read_value("option", kind, text)


@pytest.mark.parametrize(
    ("annotation", "words", "inside", "outside"),
    [
        (int, "a whole number", [5, -1], [1.5, True, "5", None]),
        (Annotated[int, Ge(1)], "a whole number, 1 or more", [1, 10**30], [0]),
        (Annotated[int, Interval(ge=1, le=9)], "a whole number from 1 to 9", [1, 9], [0, 10]),
        (Annotated[int, Ge(2), MultipleOf(2)], "an even whole number, 2 or more", [2, 8], [0, 3]),
        (float, "a finite number", [1, 0.5], [float("nan"), float("inf"), 10**400, False, "1", 1j]),
        (Annotated[float, Gt(0)], "a finite number above 0", [1e-9], [0, -1, float("inf")]),
        (Annotated[float, Ge(0), Lt(1)], "a number from 0 to below 1", [0, 0.9], [1]),
        (Annotated[float, Interval(gt=0, le=2)], "a number above 0, to 2", [2], [0, 2.1]),
        (
            Annotated[float, Ge(0), Unit("seconds")],
            "seconds, a finite number, 0 or more",
            [0],
            [-1],
        ),
        (Annotated[int, Ge(1)] | None, "a whole number, 1 or more, or None", [None, 1], [0]),
        (Literal["a", "b"], "'a' or 'b'", ["a"], ["c", 1]),
        (Literal["a", "b", "c"], "one of 'a', 'b', 'c'", ["c"], ["d"]),
        (Literal[1, 2], "1 or 2", [1], [True, 3]),
        (bool, "True or False", [True], [1, "yes", None]),
        (str, "a text", ["", "x"], [1, None]),
        (tuple[Annotated[int, Ge(1)], ...], "a list, each a whole number, 1 or more", [()], [(0,)]),
        (Annotated[tuple[str, ...], MinLen(1)], "1 or more, each a text", [("a",)], [(), "a"]),
        (Any, "a text", [object], []),
    ],
)
def test_an_annotation_says_what_is_allowed(annotation, words, inside, outside):
    values = values_of(annotation)
    assert values.words() == words
    for value in inside:
        assert values.taken(value) == value
    for value in outside:
        with pytest.raises(ValueError):  # noqa: PT011
            values.taken(value)


def test_ranges_are_checked_in_texts_too():
    assert read_value("n", Annotated[int, Ge(1)] | None, "none") is None
    with pytest.raises(InvalidConfig, match="n=0: expected a whole number, 1 or more, or none"):
        read_value("n", Annotated[int, Ge(1)] | None, "0")
    with pytest.raises(InvalidConfig, match="n='c': expected a or b"):
        read_value("n", Literal["a", "b"], "c")
    assert [read_value("n", UNKNOWN, text) for text in ("1", "1.5", "true", "none", "nan")] == [
        1, 1.5, True, None, "nan",
    ]  # fmt: skip


@given(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False)))
def test_values_that_are_written_are_read_again(value):
    text = write_value(value)
    if text is None:
        assert value in (float("inf"), float("-inf"))
    else:
        assert read_value("n", type(value), text) == value


@dataclass(frozen=True)
class Settings:
    size: Annotated[int, Ge(1)] = 4
    rates: tuple[float, ...] = (0.5,)
    inner: "Settings | None" = None
    mode: Literal["on", "off"] = "on"
    extra: Any = field(default_factory=dict)

    def __post_init__(self) -> None:
        check(self)


def test_a_dataclass_is_checked_by_its_annotations():
    made = Settings(size=np.int64(3), rates=[1, np.float32(0.5)])
    assert (made.size, made.rates) == (3, (1, 0.5))
    assert type(made.size) is int
    assert [option.name for option in fields_of(Settings)] == [
        "size",
        "rates",
        "inner",
        "mode",
        "extra",
    ]
    for given_, words in [
        ({"size": 0}, "size=0: expected a whole number, 1 or more"),
        ({"size": -(10**5000)}, "size= with a number of thousands of digits: expected"),
        ({"rates": 1.0}, "rates=1.0: expected a list, each a finite number"),
        ({"inner": 3}, "inner=3: expected a Settings or None"),
        ({"mode": "up"}, "mode='up': expected 'on' or 'off'"),
    ]:
        with pytest.raises(InvalidConfig, match=words):
            Settings(**given_)
    assert changed(made, {"size": 9}).size == 9
    with pytest.raises(
        InvalidConfig, match=r"siez=: setting has no such option; did you mean size="
    ):
        changed(made, {"siez": 9}, "setting")


def things(**package: Any) -> "Registry[Any]":
    return Registry("thing", None, lambda: package, error=UnknownGame, refusal=InvalidConfig)


def test_a_registry_finds_things_by_name():
    registry = things(one=1)
    registry.register("two", 2)
    registry.register("two", 22)
    assert registry.names() == ("one", "two")
    assert (registry.find("one"), registry.get_or_raise("two"), registry.find(3)) == (1, 22, None)
    with pytest.raises(UnknownGame, match="'tow': no such thing; did you mean 'two'"):
        registry.get_or_raise("tow")
    for name, words in [("one", "a thing of the package"), ("a:b", "expected letters"), (3, "3")]:
        with pytest.raises(InvalidConfig, match=words):
            registry.register(name, 3)


def test_a_recipe_names_what_is_missing_and_what_is_not_there():
    recipe = Recipe(lambda size: size, first="size")
    assert recipe.build("thing", recipe.read_options(read_spec("thing:7"))) == 7
    with pytest.raises(InvalidConfig, match="thing needs size=, such as thing:SIZE"):
        recipe.build("thing", {})
    with pytest.raises(InvalidConfig, match="sizes=: thing has no such option; did you mean size="):
        recipe.build("thing", {"sizes": 1})


def test_an_old_spelling_warns():
    old = renamed(len, "things.length", "things.size")
    with pytest.warns(DeprecationWarning, match="things.length is deprecated.*use things.size"):
        assert old("abc") == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert old.__name__ == "length"


def test_the_old_spellings_of_registries_work_with_a_warning():
    with pytest.warns(DeprecationWarning, match=r"use agents\.make"):
        assert agents.parse("random:seed=2").name == "random:seed=2"
    with pytest.warns(DeprecationWarning, match=r"use gating\.names"):
        assert set(gating.registered()) <= set(gating.names())
    with pytest.warns(DeprecationWarning, match=r"use networks\.spec_of"):
        assert str(networks.describe("resnet-8x1")) == networks.spec_of("resnet-8x1")


def test_games_have_texts_too():
    game = games.make("krk:start=dtm,dtm='1,5'")
    assert game == games.make("krk", start="dtm", dtm=(1, 5))
    assert games.make(games.spec_of(game)) == game
    for text, words in [
        ("krk:stat=fixed", "stat=: 'krk' has no such option; did you mean start="),
        ("krk:uniform", "'uniform' has no key"),
        ("pommerman-ffa:fog=dense", "fog='dense': expected true or false or none"),
    ]:
        with pytest.raises(InvalidConfig, match=words):
            games.make(text)


def test_networks_take_options_beside_their_text():
    network = networks.make("resnet-8x1", (3, 6, 7), 7, value="mse")
    assert networks.spec_of(network) == "resnet-8x1:value=mse"
    with pytest.raises(InvalidConfig, match="has value too: give it once"):
        networks.make("resnet-8x1:value=mse", (3, 6, 7), 7, value="wdl")


@dataclass(frozen=True)
class Described:
    """Settings.

    Attributes:
        first: The first,
            in two lines: so.
        second: The second.
    """

    first: int = 1
    second: int = 2
    third: int = 3
    """The third."""


def test_descriptions_stand_below_fields_or_in_the_docstring():
    assert descriptions_of(Described) == {
        "first": "The first,\n        in two lines: so.",
        "second": "The second.",
        "third": "The third.",
    }
