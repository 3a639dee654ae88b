"""Tables on pages: what has no room beside the text is a list."""

import pytest

from phasezoo.report import html
from phasezoo.report.document import Column, Table


@pytest.mark.parametrize(
    ("columns", "kind"), [(2, "scroll"), (6, "scroll stacked"), (30, "scroll long")]
)
def test_rows_that_no_window_has_room_for_are_lists(columns: int, kind: str) -> None:
    row = [f"−0.12{place} (−0.200 to −0.100)" for place in range(columns)]
    heads = [f"column {place}" for place in range(columns)]
    shown = Table("wide", [Column(head, place) for place, head in enumerate(heads)], [row])
    page = str(html.table(shown))
    assert page.startswith(f'<div class="{kind}">')
    assert all(f'data-head="{head}"' in page for head in heads[1:])
