"""Counts add up, whatever fields they have."""

from dataclasses import MISSING, fields

from phasezoo.inference import Counts


def test_every_field_is_added() -> None:
    names = [field.name for field in fields(Counts) if field.default_factory is MISSING]
    numbers = {name: number + 1 for number, name in enumerate(names)}
    first = Counts(**numbers, expert_rows={"a": 3}, expert_calls={"a": 2})
    total = first + first
    assert all(getattr(total, name) == 2 * getattr(first, name) for name in names)
    assert total - first == first


def test_the_work_of_every_expert_is_added() -> None:
    first = Counts(expert_rows={"a": 3, "b": 1}, expert_calls={"a": 2, "b": 1})
    second = Counts(expert_rows={"b": 4, "c": 5}, expert_calls={"b": 1, "c": 1})
    total = first + second
    assert total.expert_rows == {"a": 3, "b": 5, "c": 5}
    assert total.expert_calls == {"a": 2, "b": 2, "c": 1}
    assert first.expert_rows == {"a": 3, "b": 1}  # sums share nothing
    assert total - second == first
    assert Counts(**{k: v for k, v in total.as_dict().items() if k != "mean_rows"}) == total
