import json
from dataclasses import dataclass

import pytest

import phasezoo
from phasezoo import _core
from phasezoo.errors import InvalidConfig, RunDirectoryError
from phasezoo.runs import RunRecord, describe, held, jsonable


@dataclass(frozen=True)
class Settings:
    seed: int = 5
    sizes: tuple[int, ...] = (1, 2)


def test_a_record_names_settings_seeds_packages_environments_and_machine():
    record = describe("match", Settings())
    assert record.kind == "match"
    assert record.config == {"seed": 5, "sizes": [1, 2]}
    assert record.seeds == {"run": 5}
    made_with = record.provenance
    assert made_with.packages["phasezoo"] == phasezoo.__version__
    assert "Chess-v0" in made_with.environments
    assert made_with.threads == _core.default_threads()
    assert made_with.cores >= 1
    assert made_with.processor


def test_what_is_given_stands_in_the_record():
    record = describe("training", {"lr": 0.1}, seeds={"order": 3}, threads=7, devices=["a", "b"])
    assert record.seeds == {"order": 3}
    assert (record.provenance.threads, record.provenance.devices) == (7, ["a", "b"])
    assert describe("training", {"lr": 0.1}).seeds == {}


def test_a_record_comes_back_from_its_text():
    record = describe("match", Settings())
    assert jsonable.decode(RunRecord, json.loads(jsonable.dumps(record))) == record


def test_changed_packages_are_named():
    record = describe("match", Settings())
    assert record.changed_packages() == []
    record.provenance.packages["numpy"] = "0.1"
    assert record.changed_packages() == ["numpy"]


def test_settings_that_json_cannot_hold_are_refused():
    with pytest.raises(InvalidConfig, match="object"):
        describe("match", {"a": object()})


def test_a_lock_keeps_a_second_holder_out_of_a_directory_and_a_file(tmp_path):
    log = tmp_path / "games.jsonl"
    for place, what in ((tmp_path, "directory"), (log, "file")):
        refused = pytest.raises(RunDirectoryError, match=f"working in this {what}")
        with held(place), refused, held(place):
            pass
        with held(place):
            pass
    assert log.read_bytes() == b""


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(RunDirectoryError, match="cannot be written"), held(tmp_path / "no" / "log"):
        pass
