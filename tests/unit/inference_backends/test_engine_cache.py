"""Engines on disk: what is stale, damaged or wrong is built anew, and never answers."""

import dataclasses
import json

import pytest

from phasezoo.errors import CheckpointError
from phasezoo.inference.backends.engine_cache import EngineCache, EngineKey

KEY = EngineKey("a" * 64, "11.4.0", "NVIDIA H100 9.0", "float16", (1, 256, 4096))
OTHERS = {
    "model": "b" * 64,
    "version": "11.5.0",
    "gpu": "NVIDIA A100 8.0",
    "precision": "bfloat16",
    "profile": (1, 64, 1024),
    "packed": True,
    "export": 3,
}


class Library:
    """Builds engines and loads its own, as a library does that cannot run here."""

    def __init__(self):
        self.built, self.verified = 0, []

    def build(self):
        self.built += 1
        return b"engine %d\n\x00\xff" % self.built

    def load(self, data):
        if not data.startswith(b"engine"):
            message = "deserialisation failed"
            raise RuntimeError(message)
        return data

    def get(self, cache, key=KEY):
        return cache.get(key, self.build, self.load, self.verified.append)


@pytest.fixture
def library():
    return Library()


def test_an_engine_is_built_once(tmp_path, library):
    first = library.get(EngineCache(tmp_path / "new"))
    assert library.get(EngineCache(tmp_path / "new")) == first
    assert library.built == 1
    assert library.verified == [first]


def test_every_field_of_the_key_counts():
    assert set(OTHERS) == {field.name for field in dataclasses.fields(EngineKey)}


@pytest.mark.parametrize("field", OTHERS)
def test_one_of_another_kind_is_another_engine(tmp_path, library, field):
    cache = EngineCache(tmp_path)
    first = library.get(cache)
    other = dataclasses.replace(KEY, **{field: OTHERS[field]})
    assert other.file != KEY.file
    assert library.get(cache, other) != first
    # A file that was renamed, or whose name is the same by chance, is stale all the same.
    (tmp_path / KEY.file).replace(tmp_path / other.file)
    library.get(cache, other)
    assert library.built == 3


@pytest.mark.parametrize("damage", ["cut", "empty", "flipped", "foreign", "head"])
def test_a_damaged_file_is_built_anew(tmp_path, library, damage):
    cache = EngineCache(tmp_path)
    library.get(cache)
    file = tmp_path / KEY.file
    whole = file.read_bytes()
    file.write_bytes(
        {
            "cut": whole[:-3],
            "empty": b"",
            "flipped": whole[:-1] + bytes([whole[-1] ^ 1]),
            "foreign": b"something else\n" * 9,
            "head": whole.replace(b"sha256", b"sha257", 1),
        }[damage]
    )
    assert library.get(cache) == b"engine 2\n\x00\xff"
    assert library.get(cache) == b"engine 2\n\x00\xff"
    assert library.built == 2


def test_a_whole_file_that_the_library_refuses_is_built_anew(tmp_path, library):
    cache = EngineCache(tmp_path)
    cache.get(KEY, lambda: b"of an older driver", lambda data: data, lambda _: None)
    assert library.get(cache) == b"engine 1\n\x00\xff"
    assert library.get(cache) == b"engine 1\n\x00\xff"
    assert library.built == 1


def test_one_that_answers_wrongly_is_not_kept(tmp_path, library):
    def refuse(engine):
        message = "answers 0.5 off"
        raise CheckpointError(message)

    with pytest.raises(CheckpointError, match="answers 0"):
        EngineCache(tmp_path).get(KEY, library.build, library.load, refuse)
    assert list(tmp_path.iterdir()) == []


def test_one_that_cannot_be_loaded_is_a_typed_error(tmp_path, library):
    with pytest.raises(CheckpointError, match="just built cannot be loaded: RuntimeError: deser"):
        EngineCache(tmp_path).get(KEY, lambda: b"rubbish", library.load, library.verified.append)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_costs_the_next_build_alone(tmp_path, library):
    (tmp_path / "file").write_text("")
    cache = EngineCache(tmp_path / "file" / "below")
    assert library.get(cache) != library.get(cache)


def test_the_file_says_what_it_is_of(tmp_path, library):
    library.get(EngineCache(tmp_path))
    head = json.loads((tmp_path / KEY.file).read_bytes().split(b"\n")[1])
    assert json.loads(head["key"])["gpu"] == KEY.gpu
