import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, strategies as st

from phasezoo.errors import InvalidConfig
from phasezoo.runs import jsonable


@dataclass(frozen=True)
class Inner:
    low: float
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outer:
    count: int
    inner: Inner
    kind: Literal["a", "b"] = "a"
    path: Path | None = None
    pair: tuple[int, float] = (1, 2.0)
    table: dict[str, list[Inner | None]] | None = None
    anything: Any = None


def round_trip(value):
    return jsonable.decode(type(value), json.loads(jsonable.dumps(value)))


def test_nested_dataclasses_come_back_equal():
    value = Outer(
        count=3,
        inner=Inner(math.inf, ("x", "y")),
        kind="b",
        path=Path("somewhere") / "else",
        pair=(4, -math.inf),
        table={"row": [Inner(0.5), None]},
    )
    assert round_trip(value) == value


@given(st.floats(allow_nan=False), st.integers(), st.text())
def test_every_number_and_text_comes_back(number, count, text):
    value = Outer(count, Inner(number, (text,)))
    assert round_trip(value) == value


def test_numpy_values_are_written_as_plain_ones():
    value = {"a": np.float32(0.5), "b": np.arange(3), "c": np.bool_(True), "d": float("nan")}
    assert json.loads(jsonable.dumps(value)) == {"a": 0.5, "b": [0, 1, 2], "c": True, "d": None}


@pytest.mark.parametrize(
    ("data", "word"),
    [
        ({"inner": {"low": 1.0}}, "'count' is missing"),
        ({"count": 1, "inner": {"low": 1.0}, "extra": 2}, "unknown key 'extra'"),
        ({"count": True, "inner": {"low": 1.0}}, "Outer.count"),
        ({"count": 1, "inner": {"low": "much"}}, "Outer.inner.low"),
        ({"count": 1, "inner": {"low": 10**400}}, "Outer.inner.low"),
        ({"count": 1, "inner": {"low": 1.0}, "kind": "c"}, "'c' is not one of 'a', 'b'"),
        ({"count": 1, "inner": {"low": 1.0}, "pair": [1]}, "1 items, expected 2"),
        ({"count": 1, "inner": {"low": 1.0}, "path": 7}, "Outer.path"),
        ([1, 2], "is not a dict"),
    ],
)
def test_what_does_not_fit_is_named(data, word):
    with pytest.raises(InvalidConfig, match=" ") as caught:
        jsonable.decode(Outer, data)
    assert word in str(caught.value)


def test_what_json_cannot_hold_is_refused():
    with pytest.raises(InvalidConfig, match="object"):
        jsonable.dumps({"a": object()})
