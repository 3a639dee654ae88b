"""The networks of the published systems, drawn from their modules."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import groupby

from torch import nn

from phasezoo import games, networks
from phasezoo.experiments.atomic.published import NETWORK as ATOMIC
from phasezoo.networks.blocks import ChannelAttention, DenseAttention, SqueezeExcitation

__all__ = ["SYSTEMS", "System", "network_drawings", "network_page"]

ATTENTION = (ChannelAttention, DenseAttention, SqueezeExcitation)
WIDTH, ROW, GAP, MARGIN = 560, 34, 14, 10
FILL = {"input": "#e8eef7", "body": "#f4f4f4", "policy": "#e3f3e6", "value": "#fdf0da"}


@dataclass(frozen=True)
class System:
    """A published system and its network."""

    name: str
    """Anchor of its section."""
    title: str
    network: str
    game: str
    planes: str
    text: str
    """What the drawing does not show."""


SYSTEMS = (
    System(
        "m2cts",
        "M2CTS",
        "rise-256x15",
        "chess",
        "v2",
        "RISEv3.3. One network for each phase has this architecture, and so has the baseline. "
        "A gate chooses the network of a leaf.",
    ),
    System(
        "pommerman",
        "M2CTS in Pommerman",
        "risex4-1x2",
        "pommerman-ffa",
        "standard",
        "A network of one channel, again one for each phase.",
    ),
    System(
        "representation",
        "Representation Matters",
        "alphavile-normal",
        "chess",
        "v2",
        "AlphaVile of normal size: mobile bottlenecks and two transformer blocks.",
    ),
    System(
        "atomic",
        "Atomic chess",
        ATOMIC,
        "atomic",
        "minimal",
        "A residual tower with dense heads, as AlphaZero has them. It learns by play.",
    ),
)
"""Systems whose publications describe a network. `krk` searches with rollouts and `beam` names no
architecture."""


def network_drawings() -> dict[str, str]:
    """Return an SVG document for each system, by the system's name."""
    return {system.name: _drawing(system) for system in SYSTEMS}


def network_page() -> str:
    """Return the page that shows the drawings, in Markdown."""
    lines = [
        "# Networks of the published systems",
        "",
        "Each drawing is made from the modules of the network that the package builds by the name",
        "below it. Equal blocks are drawn once. *Hidden* is the width inside a block.",
        "[Published systems](../definitions/published.md#networks) has the exact tables.",
        "",
    ]
    for system in SYSTEMS:
        parameters = sum(each.numel() for each in _network(system).parameters())
        lines += [f"## {system.title}", "", system.text, ""]
        lines += [f"![Layers of {system.network}]({system.name}.svg)", ""]
        made = f'networks.make("{system.network}", …)'
        lines += [f"`{made}`: {parameters:,} parameters, planes `{system.planes}`.", ""]
    lines += [
        "## King and rook, beam search",
        "",
        "The study of king and rook searches with rollouts and has no network. The design note on",
        "beam search names no architecture; `phasezoo reproduce beam` uses `phasezoo/chess-small`.",
        "",
    ]
    return "\n".join(lines)


def _network(system: System) -> nn.Module:
    game = games.make(system.game)
    shape = game.plane_shape(system.planes)
    network: nn.Module = networks.make(system.network, shape, game.policy_size(), seed=1)
    return network


def _block(module: nn.Module) -> str:
    """A block in a line: its kind, its largest kernel, its width, its attention."""
    layers = [each for each in module.modules() if isinstance(each, nn.Conv2d | nn.Linear)]
    convolutions = [each for each in layers if isinstance(each, nn.Conv2d)]
    if isinstance(module, nn.Linear):
        return f"fully connected, {module.out_features:,}"
    if not convolutions:
        return "all squares in a row"
    kernel = max(each.kernel_size[0] for each in convolutions)
    depthwise = [each for each in convolutions if each.groups == each.in_channels > 1]
    width = max(each.out_channels for each in depthwise or convolutions)
    kind, word = "convolution", "channel" if width == 1 else "channels"
    if len(convolutions) > 1:
        kind, word = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(module).__name__).lower(), "hidden"
    weighs = any(isinstance(each, ATTENTION) for each in module.children())
    return f"{kind}, {kernel}×{kernel}, {width} {word}{', channel attention' * weighs}"


def _blocks(module: nn.Module) -> Iterator[nn.Module]:
    """The children of a module that hold weights or change the shape."""
    for child in module.children():
        if isinstance(child, nn.Sequential):
            yield from _blocks(child)
        elif isinstance(child, nn.Flatten) or any(True for _ in child.parameters()):
            yield child


def _rows(module: nn.Module) -> Iterator[str]:
    """The blocks of a module in lines; equal ones that follow each other are one."""
    for line, same in groupby(map(_block, _blocks(module))):
        count = len(list(same))
        yield f"{line}   × {count}" if count > 1 else line


def _drawing(system: System) -> str:
    """Boxes from the planes down to policy and value."""
    network = _network(system)
    parts = dict(network.named_children())
    shape = games.make(system.game).plane_shape(system.planes)
    body = [*_rows(parts["body"])]
    heads = {name: [*_rows(parts[name])] for name in ("policy", "value")}
    middle = WIDTH / 2
    drawn, y = [], MARGIN
    first = f"planes {system.planes}: {' × '.join(map(str, shape))}"
    for kind, line in [("input", first), *(("body", line) for line in body)]:
        drawn += _box(MARGIN, y, WIDTH - 2 * MARGIN, kind, line)
        y += ROW + GAP
        drawn.append(_arrow(middle, y - GAP, middle, y))
    drawn.pop()
    bottom, half = y - GAP, (WIDTH - 3 * MARGIN) / 2
    deepest = 0
    for place, (kind, lines) in enumerate(heads.items()):
        x, y = MARGIN + place * (half + MARGIN), bottom + GAP
        drawn.append(_arrow(x + half / 2, bottom, x + half / 2, y))
        for line in [*lines, f"→ {kind}"]:
            drawn += _box(x, y, half, kind, line)
            y += ROW
        deepest = max(deepest, y)
    height = deepest + MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'font-family="sans-serif" font-size="14"><rect width="{WIDTH}" height="{height}" '
        f'fill="#fff"/>{"".join(drawn)}</svg>'
    )


def _box(x: float, y: float, width: float, kind: str, text: str) -> Iterator[str]:
    yield (
        f'<rect x="{x}" y="{y}" width="{width}" height="{ROW}" rx="5" fill="{FILL[kind]}" '
        'stroke="#999"/>'
    )
    yield (
        f'<text x="{x + width / 2}" y="{y + ROW / 2 + 5}" text-anchor="middle" fill="#222">'
        f"{escape(text)}</text>"
    )


def _arrow(x: float, y: float, to_x: float, to_y: float) -> str:
    tip = f"M{to_x - 4} {to_y - 6}L{to_x} {to_y}L{to_x + 4} {to_y - 6}"
    return f'<path d="M{x} {y}L{to_x} {to_y}{tip}" fill="none" stroke="#666"/>'
