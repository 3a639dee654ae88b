"""Attention bodies and attention policies in lc0's files: where each layer lies, and its size.

Of the heads of a network with several, lc0's own default is read: ``vanilla`` for the policy,
``winner`` for the value.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from phasezoo.inference.formats.lc0_layers import (
    Layer,
    Path,
    check_value,
    down,
    length,
    linear,
    part,
)
from phasezoo.inference.formats.protobuf import Message

SEVERAL_HEADS, LEGACY_SEVERAL_HEADS = 7, 134
"""Network structures whose heads lie in messages of their own."""

STRUCTURES = (6, SEVERAL_HEADS, LEGACY_SEVERAL_HEADS)
"""Network structures that are attention bodies."""

OLD_STRUCTURE = 4
"""Structure of a tower, which files from before the others have for attention bodies too."""

POLICY = 3
"""Policy format of queries and keys."""

EMBEDDINGS = {1: "map", 2: "dense"}
ACTIVATIONS = {1: "mish", 2: "relu", 6: "selu", 7: "swish", 8: "relu2"}

UNKNOWN = {
    2: "residual blocks before the encoder layers",
    36: "a bias of the generated attention weights",
}
"""Fields of the weights that change what an attention body answers and are not read."""

UNKNOWN_IN_ATTENTION = range(10, 23)
"""Fields of a layer's attention that change it: relative positions, and other number formats."""


def structure_of(form: Message, weights: Message) -> int:
    """Return a network's structure, that of old files as lc0 understands it."""
    structure = form.number(3, 1)
    if structure == OLD_STRUCTURE and weights.messages(27):
        return STRUCTURES[0]
    if structure == STRUCTURES[0] and weights.message(44) and weights.message(45):
        return SEVERAL_HEADS
    return SEVERAL_HEADS if structure == LEGACY_SEVERAL_HEADS else structure


def read_options(weights: Message, form: Message) -> tuple[tuple[int, int], dict[str, Any]]:
    """Return the size and the options of an attention body, from the lengths of its layers."""
    _refuse_unknown(weights, form)
    blocks = weights.messages(27)
    attention, ffn = part(blocks[0], 1, "attention"), part(blocks[0], 4, "feed-forward network")
    channels, width = _size(weights, 26), _size(attention, 2)
    heads = _checked_heads(weights.number(28), width)
    activation = "mish" if form.number(7) == 1 else "relu"
    old = form.number(3, 1) == OLD_STRUCTURE and weights.message(35) is not None
    several = structure_of(form, weights) == SEVERAL_HEADS
    options: dict[str, Any] = {
        "heads": heads, "width": width, "ffn": _size(ffn, 2),
        "embedding": _embedding(form, weights),
        "gates": weights.message(33) is not None, "smolgen": 0, "activation": activation,
        "ffn_activation": "relu2" if old else _activation(form, 9, activation),
        "smolgen_activation": "swish" if old else _activation(form, 8, activation),
    }  # fmt: skip
    if options["embedding"] == "dense":
        options["embedding_units"] = _size(weights, 38) // 64
        options["embedding_ffn"] = _size(part(weights, 41, "embedding's network"), 2)
    if weights.message(35) is not None:
        smolgen = part(attention, 9, "generator of attention weights")
        options["smolgen"] = max(1, length(part(weights, 35, "generator")) // 64**2)
        options["smolgen_read"] = max(1, length(part(smolgen, 1, "generator")) // channels)
        options["smolgen_units"] = _size(smolgen, 3)
    options |= policy_options(weights, several=several)
    value = part(part(weights, 44, "value heads"), 1, "value head") if several else weights
    first, units, numbers = (2, 4, 6) if several else (30, 8, 10)
    answers = _size(value, numbers)
    check_value(answers, form)
    options["value"] = "wdl" if answers == 3 else "mse"
    options |= {"value_channels": _size(value, first), "value_units": _size(value, units)}
    options["moves_left"] = 0
    if form.number(6) == 1 and weights.message(31) is not None:
        options |= {"moves_left": _size(weights, 32), "moves_left_units": _size(weights, 14)}
    return (channels, len(blocks)), options


def policy_options(weights: Message, *, several: bool) -> dict[str, Any]:
    """Return the sizes of an attention policy."""
    places = _policy_places(weights, several=several)
    holder = down(weights, places.at)
    options = {
        "policy_channels": _size(down(weights, places.hidden_at), places.hidden + 1),
        "policy_units": _size(holder, places.query + 1),
    }
    blocks = holder.messages(places.layers)
    options["policy_blocks"] = len(blocks)
    if blocks:
        attention = part(blocks[0], 1, "policy's attention")
        width = _size(attention, 2)
        heads = _checked_heads(holder.number(places.heads), width)
        ffn = _size(part(blocks[0], 4, "policy's feed-forward network"), 2)
        options |= {"policy_heads": heads, "policy_width": width, "policy_ffn": ffn}
    for block in blocks:
        attention = part(block, 1, "policy's attention")
        _refuse_unknown_attention(attention)
        if attention.message(9) is not None:
            message = "the policy's encoder layers have generated attention weights (field 9)"
            raise ValueError(message)
    return options


def _checked_heads(heads: int, width: int) -> int:
    if not 0 < heads <= width or width % heads:
        message = f"{heads} attention heads do not divide queries of {width} numbers"
        raise ValueError(message)
    return heads


def _refuse_unknown_attention(attention: Message) -> None:
    unknown = [number for number in UNKNOWN_IN_ATTENTION if attention.messages(number)]
    if unknown:
        message = f"field {unknown[0]} of a layer's attention is not known"
        raise ValueError(message)


def _refuse_unknown(weights: Message, form: Message) -> None:
    if form.number(4) != POLICY:
        message = f"policy format {form.number(4)} of an attention body; known is {POLICY}"
        raise ValueError(message)
    for number, what in UNKNOWN.items():
        if weights.messages(number):
            message = f"it has {what} (field {number}), which are not read"
            raise ValueError(message)
    if weights.message(34) is not None and weights.message(33) is None:
        message = "it shifts its embedding (field 34) and does not scale it (33)"
        raise ValueError(message)
    blocks = weights.messages(27)
    if not blocks:
        message = "its encoder layers are missing (field 27)"
        raise ValueError(message)
    for block in blocks:
        attention = part(block, 1, "attention")
        _refuse_unknown_attention(attention)
        if attention.message(9) is not None and weights.message(35) is None:
            message = "the generator of its attention weights is missing (field 35)"
            raise ValueError(message)


def _embedding(form: Message, weights: Message) -> str:
    structure = form.number(3, 1)
    usual = 0 if structure in (SEVERAL_HEADS, LEGACY_SEVERAL_HEADS) else 1
    found = form.number(10, usual)
    if structure not in (SEVERAL_HEADS, LEGACY_SEVERAL_HEADS):
        found = 2 if structure_of(form, weights) == SEVERAL_HEADS else found
    if found not in EMBEDDINGS:
        message = f"input embedding {found} is not known; known are {tuple(EMBEDDINGS)}"
        raise ValueError(message)
    return EMBEDDINGS[found]


def _activation(form: Message, number: int, usual: str) -> str:
    found = form.number(number)
    if found and found not in ACTIVATIONS:
        message = f"activation {found} (field {number}) is not known; known: {tuple(ACTIVATIONS)}"
        raise ValueError(message)
    return ACTIVATIONS.get(found, usual)


def layers(
    size: tuple[int, int],
    options: Mapping[str, Any],
    weights: Message | None = None,
    *,
    several: bool = True,
) -> Iterator[Layer]:
    """Yield every layer of an attention body."""
    channels, blocks = size
    dense = options["embedding"] == "dense"
    read = 112 + (options["embedding_units"] if dense else 64)
    yield from linear("body.embed.layer", 25, (channels, read))
    if dense:
        yield from linear("body.embed.board", 37, (64 * options["embedding_units"], 12 * 64))
        yield from linear("body.embed.norm", 39, (channels,))
        yield from _feed_forward("body.embed.ffn", (41,), channels, options["embedding_ffn"])
        yield from linear("body.embed.ffn_norm", 42, (channels,))
    if options["gates"]:
        yield Layer("body.embed.gates.scale", (33,), (channels, 64))
        yield Layer("body.embed.gates.shift", (34,), (channels, 64))
    if options["smolgen"]:
        yield Layer("body.generate.weight", (35,), (64**2, options["smolgen"]))
    for place in range(blocks):
        yield from _encoder(f"body.layers.{place}", ((27, place),), channels, options)
    yield from policy_layers(channels, options, weights, several=several)
    value: Path = (44, 1) if several else ()
    first = (1, 3, 5) if several else (29, 7, 9)
    numbers = 3 if options["value"] == "wdl" else 1
    yield from _head("value", value, first, (channels, options["value_channels"],
                                             options["value_units"], numbers))  # fmt: skip
    if options["moves_left"]:
        sizes = (channels, options["moves_left"], options["moves_left_units"], 1)
        yield from _head("moves_left", (), (31, 13, 15), sizes)


def policy_layers(
    channels: int, options: Mapping[str, Any], weights: Message | None, *, several: bool
) -> Iterator[Layer]:
    """Yield the layers of an attention policy."""
    read, units = options["policy_channels"], options["policy_units"]
    places = _policy_places(weights, several=several)
    yield from linear("policy.hidden", places.hidden, (read, channels), places.hidden_at)
    yield from linear("policy.query", places.query, (units, read), places.at)
    yield from linear("policy.key", places.query + 2, (units, read), places.at)
    yield Layer("policy.promotion.weight", (*places.at, places.promotion), (4, units))
    sizes = {"width": options.get("policy_width"), "ffn": options.get("policy_ffn"), "smolgen": 0}
    for place in range(options.get("policy_blocks", 0)):
        own = (*places.at, (places.layers, place))
        yield from _encoder(f"policy.layers.{place}", own, read, sizes)


class _PolicyPlaces(NamedTuple):
    """Where the parts of an attention policy lie."""

    hidden_at: Path
    hidden: int
    at: Path
    """The message of all other parts."""
    query: int
    promotion: int
    layers: int
    heads: int


def _policy_places(weights: Message | None, *, several: bool) -> _PolicyPlaces:
    if not several:
        return _PolicyPlaces((), 4, (), 17, 22, 21, 24)
    own = weights is not None and down(weights, (45, 3)).message(1) is not None
    return _PolicyPlaces((45, 3) if own else (45,), 1, (45, 3), 3, 7, 8, 9)


def _encoder(name: str, at: Path, channels: int, options: Mapping[str, Any]) -> Iterator[Layer]:
    width = options["width"] or channels
    for number, part_name in ((1, "query"), (3, "key"), (5, "mix")):
        yield from linear(f"{name}.{part_name}", number, (width, channels), (*at, 1))
    yield from linear(f"{name}.out", 7, (channels, width), (*at, 1))
    if options["smolgen"]:
        read, units = options["smolgen_read"], options["smolgen_units"]
        numbers, inner = options["heads"] * options["smolgen"], (*at, 1, 9)
        yield Layer(f"{name}.smolgen.read.weight", (*inner, 1), (read, channels))
        yield from linear(f"{name}.smolgen.units", 2, (units, 64 * read), inner)
        yield from linear(f"{name}.smolgen.units_norm", 4, (units,), inner)
        yield from linear(f"{name}.smolgen.out", 6, (numbers, units), inner)
        yield from linear(f"{name}.smolgen.out_norm", 8, (numbers,), inner)
    yield from linear(f"{name}.norm", 2, (channels,), at)
    yield from _feed_forward(f"{name}.ffn", (*at, 4), channels, options["ffn"] or channels)
    yield from linear(f"{name}.ffn_norm", 5, (channels,), at)


def _feed_forward(name: str, at: Path, channels: int, units: int) -> Iterator[Layer]:
    yield from linear(f"{name}.units", 1, (units, channels), at)
    yield from linear(f"{name}.out", 3, (channels, units), at)


def _head(
    name: str, at: Path, first: tuple[int, int, int], sizes: tuple[int, int, int, int]
) -> Iterator[Layer]:
    channels, read, units, numbers = sizes
    yield from linear(f"{name}.hidden.0", first[0], (read, channels), at)
    yield from linear(f"{name}.units", first[1], (units, 64 * read), at)
    yield from linear(f"{name}.numbers", first[2], (numbers, units), at)


def _size(parent: Message, number: int) -> int:
    return length(part(parent, number, "layer"))


def numbers_of(options: Mapping[str, Any], *, several: bool) -> dict[Path, int]:
    """Return the fields with the numbers of attention heads."""
    found: dict[Path, int] = {(28,): options["heads"]} if "heads" in options else {}
    if options.get("policy_blocks"):
        places = _policy_places(None, several=several)
        found[*places.at, places.heads] = options["policy_heads"]
    return found


def written_format(options: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Return the fields of a network format that only attention bodies have."""
    numbers = {name: number for number, name in ACTIVATIONS.items()}
    embedding = next(n for n, name in EMBEDDINGS.items() if name == options["embedding"])
    return [(8, numbers[options["smolgen_activation"]]), (9, numbers[options["ffn_activation"]]),
            (10, embedding)]  # fmt: skip
