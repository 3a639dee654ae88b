"""The drawings of the published systems' networks show their blocks."""

from xml.etree import ElementTree

from architectures import SYSTEMS, network_drawings, network_page

BLOCKS = {"m2cts": 15, "pommerman": 2, "representation": 26, "atomic": 12}
"""Blocks of each tower, as ``docs/definitions/published.md#networks`` has them."""


def test_every_system_is_drawn_with_all_blocks_of_its_tower() -> None:
    drawings, page = network_drawings(), network_page()
    assert {system.name for system in SYSTEMS} == drawings.keys() == BLOCKS.keys()
    for name, document in drawings.items():
        texts = [each.text or "" for each in ElementTree.fromstring(document).iter() if each.text]
        blocks = [text for text in texts if " block," in text or "bottleneck," in text]
        counts = [int(text.partition(" × ")[2] or 1) for text in blocks]
        assert sum(counts) == BLOCKS[name]
        assert f"]({name}.svg)" in page
