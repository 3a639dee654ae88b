"""Counts add up, whatever fields they have."""

from dataclasses import fields

from phasezoo.inference import Counts


def test_every_field_is_added() -> None:
    names = [field.name for field in fields(Counts)]
    first = Counts(**{name: number + 1 for number, name in enumerate(names)})
    total = first + first
    assert all(getattr(total, name) == 2 * getattr(first, name) for name in names)
    assert total - first == first
