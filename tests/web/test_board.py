"""Games in a real browser: by click, drag, touch and keyboard."""

import json

import pytest
from tests.web.acting import (
    begin,
    choose,
    copied,
    error,
    move,
    moves,
    plies,
    said,
    until,
    wait_for_plies,
)

pytestmark = pytest.mark.web


def test_a_game_to_mate_by_clicks(page, server):
    begin(page, server.address, "chess", ["", ""])
    for start, end in (("f2", "f3"), ("e7", "e5"), ("g2", "g4"), ("d8", "h4")):
        move(page, start, end)
    assert moves(page) == ["f3", "e5", "g4", "Qh4#"]
    assert page.inner_text(".over") == "0-1 checkmate"
    assert "checkmate" in said(page)
    assert "1. f3 e5 2. g4 Qh4# 0-1" in copied(page, "#pz-copy-pgn")


def test_legal_targets_are_shown_and_others_refused(page, server):
    begin(page, server.address, "chess", ["", ""])
    page.click("[data-spot=g1]")
    targets = page.eval_on_selector_all(".spot.target", "all => all.map(e => e.dataset.spot)")
    assert sorted(targets) == ["f3", "h3"]
    page.click("[data-spot=g5]")
    assert plies(page) == 0
    assert page.locator(".spot.picked").count() == 0


def test_a_piece_is_dragged_and_comes_back_from_where_it_may_not_go(page, server):
    begin(page, server.address, "chess", ["", ""])

    def drag(start, end):
        boxes = [page.locator(f"[data-spot={spot}]").bounding_box() for spot in (start, end)]
        (x, y), (u, v) = ((b["x"] + b["width"] / 2, b["y"] + b["height"] / 2) for b in boxes)
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move((x + u) / 2, (y + v) / 2, steps=3)
        assert page.locator("#pz-board use[transform]").count() == 1
        page.mouse.move(u, v)
        page.mouse.up()

    drag("e2", "e5")
    assert page.locator("#pz-board use[transform]").count() == 0
    assert plies(page) == 0
    drag("e2", "e4")
    wait_for_plies(page, 1)
    assert moves(page) == ["e4"]


def test_touch(browser, server):
    context = browser.new_context(
        viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    begin(page, server.address, "chess", ["", ""])
    page.tap("[data-spot=d2]")
    page.tap("[data-spot=d4]")
    wait_for_plies(page, 1)
    wide = page.evaluate("document.documentElement.scrollWidth")
    context.close()
    assert wide <= 360


def test_keyboard_alone(page, server):
    begin(page, server.address, "chess", ["", ""])
    page.focus('.spot[tabindex="0"]')
    for _ in range(8):  # the first spot is a1
        page.keyboard.press("ArrowLeft")
    for key in ("ArrowRight",) * 4 + ("ArrowUp",):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.dataset.spot") == "e2"
    label = page.get_attribute("[data-spot=e2]", "aria-label")
    assert label == "e2, white pawn, can move"
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.get_attribute("[data-spot=e4]", "aria-label") == "e4, possible"
    page.keyboard.press("Enter")
    wait_for_plies(page, 1)
    assert page.evaluate("document.activeElement.dataset.spot") == "e4"
    assert page.get_attribute("#pz-said", "aria-live") == "polite"
    assert "e4" in said(page)
    page.keyboard.press("u")
    until(page, lambda: plies(page) == 0)


def test_a_game_is_stepped_through_by_keys_wheel_and_moves(page, server):
    begin(page, server.address, "chess", ["", ""])
    for start, end in (("e2", "e4"), ("e7", "e5"), ("g1", "f3")):
        move(page, start, end)

    def is_at(ply):
        until(page, lambda: page.get_attribute("#pz-strip .slider", "aria-valuenow") == str(ply))

    for key, ply in (
        ("ArrowLeft", 2), ("ArrowLeft", 1), ("ArrowRight", 2), ("Home", 0), ("End", 3),
        ("ArrowUp", 0), ("ArrowDown", 3), ("ArrowRight", 3),
    ):  # fmt: skip
        page.keyboard.press(key)
        is_at(ply)
    page.hover("[data-spot=a4]")
    page.mouse.wheel(0, -100)
    is_at(2)
    assert page.inner_text('#pz-moves [aria-current="step"]') == "e5"
    page.mouse.wheel(0, 100)
    is_at(3)
    page.click("#pz-moves button:has-text('e4')")
    is_at(1)
    assert page.inner_text('#pz-moves [aria-current="step"]').endswith("e4")
    assert page.evaluate("document.activeElement.textContent").endswith("e4")


def test_a_move_from_an_earlier_position_begins_a_variation(page, server):
    begin(page, server.address, "chess", ["", ""])
    for start, end in (("e2", "e4"), ("e7", "e5"), ("g1", "f3")):
        move(page, start, end)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector('[data-spot=e5][aria-label="e5"]')
    move(page, "c7", "c5")
    move(page, "b1", "c3")
    assert moves(page) == ["e4", "e5", "c5", "Nc3", "Nf3"]
    texts = page.locator("#pz-moves button").all_inner_texts()
    assert texts == ["1. e4", "e5", "1… c5", "2. Nc3", "2. Nf3"]
    variation = page.locator("#pz-moves .variation button").all_inner_texts()
    assert variation == ["1… c5", "2. Nc3"]
    assert page.inner_text('#pz-moves [aria-current="step"]') == "2. Nc3"
    page.click("#pz-moves button:has-text('Nf3')")
    page.wait_for_selector('[data-spot=f3][aria-label^="f3, white knight"]')
    page.click("#pz-moves .variation button:has-text('c5')")
    page.wait_for_selector('[data-spot=c5][aria-label^="c5, black pawn"]')
    page.keyboard.press("ArrowRight")
    page.wait_for_selector('[data-spot=c3][aria-label^="c3, white knight"]')
    page.click("#pz-undo")
    until(page, lambda: moves(page) == ["e4", "e5", "c5", "Nf3"])
    page.click("#pz-undo")
    until(page, lambda: moves(page) == ["e4", "e5", "Nf3"])


def test_promotion_asks_what_to_become(page, server):
    begin(page, server.address, "chess", ["", ""], position="8/4P1k1/8/8/8/8/8/4K3 w - - 0 1")
    page.click("[data-spot=e7]")
    page.click("[data-spot=e8]")
    page.wait_for_selector("#pz-choice[open]")
    options = page.locator("#pz-choice button").all_inner_texts()
    assert sorted(options) == ["bishop", "knight", "queen", "rook"]
    assert page.locator("#pz-choice").bounding_box()["width"] < 400
    icons = [use.get_attribute("href") for use in page.locator("#pz-choice use").all()]
    assert sorted(icons) == ["#B", "#N", "#Q", "#R"]
    assert all(page.locator(f"symbol{icon}").count() == 1 for icon in icons)
    page.click("#pz-choice button:has-text('knight')")
    wait_for_plies(page, 1)
    assert moves(page) == ["e8=N+"]


def test_castling_by_either_square_and_undo_and_flip(page, server):
    begin(page, server.address, "chess", ["", ""], position="r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    move(page, "e1", "h1")
    move(page, "e8", "c8")
    assert moves(page) == ["O-O", "O-O-O"]
    page.click("#pz-undo")
    until(page, lambda: plies(page) == 1)
    above = page.locator("[data-spot=a8]").bounding_box()["y"]
    page.click("#pz-flip")
    until(page, lambda: page.locator("[data-spot=a8]").bounding_box()["y"] > above)


def test_chess960_castles_onto_the_rook(page, server):
    begin(
        page, server.address, "chess960", ["", ""], position="rk2r3/8/8/8/8/8/8/RK2R3 w EAea - 0 1"
    )
    move(page, "b1", "a1")
    assert moves(page) == ["O-O-O"]


def test_an_atomic_capture_explodes(page, server):
    begin(page, server.address, "atomic", ["", ""])
    for start, end in (("g1", "f3"), ("d7", "d5"), ("f3", "e5"), ("a7", "a6")):
        move(page, start, end)
    page.evaluate(
        "new MutationObserver(() => { window.bursts = Math.max(window.bursts || 0,"
        " document.querySelectorAll('.burst').length) }).observe("
        "document.querySelector('.arrows'), {childList: true})"
    )
    move(page, "e5", "f7")
    assert page.evaluate("window.bursts") == 9
    assert page.inner_text(".over") == "1-0 king_exploded".replace("_", " ")
    assert page.get_attribute("[data-spot=e8]", "aria-label") == "e8"


def test_a_crazyhouse_drop(page, server):
    begin(page, server.address, "crazyhouse", ["", ""])
    for start, end in (("e2", "e4"), ("d7", "d5"), ("e4", "d5"), ("d8", "d5")):
        move(page, start, end)
    move(page, "P@", "e5")
    assert moves(page)[-1] == "@e5"
    assert page.get_attribute("[data-spot=e5]", "aria-label").startswith("e5, white pawn")


def test_krk_against_the_table(page, server):
    begin(page, server.address, "krk", ["", "tablebase"], position="8/8/8/8/8/1k6/7R/K7 b - - 0 1")
    wait_for_plies(page, 1)
    assert "White to move" in said(page)


def test_connect_four_by_click_and_by_number(page, server):
    begin(page, server.address, "connect-four", ["", ""])
    move(page, "4")
    page.keyboard.press("1")
    wait_for_plies(page, 2)
    for column in "414141"[:5]:
        page.click(f'#pz-keys [aria-label="{column}"]')
        page.wait_for_timeout(50)
    wait_for_plies(page, 7)
    assert moves(page) == list("4141414")
    numbered = page.eval_on_selector_all("#pz-moves button", "all => all.map(e => e.innerText)")
    assert numbered == [f"{ply}. {column}" for ply, column in enumerate("4141414", 1)]
    assert page.inner_text(".over") == "1-0 connect four"
    assert copied(page, "#pz-copy-position") == "4141414"


def test_a_disc_falls_and_the_board_stays_where_it_is(page, server):
    begin(page, server.address, "connect-four", ["", "uct:simulations=20,seed=1"])
    board = page.locator("#pz-board")
    before = board.bounding_box()
    page.click('[data-spot="4"]')
    falls = "document.getAnimations().filter((each) => each.effect.target.tagName === 'use').length"
    until(page, lambda: page.evaluate(falls) > 0)
    wait_for_plies(page, 2)
    assert board.bounding_box() == before


def test_pommerman_by_keys(page, server):
    begin(page, server.address, "pommerman-ffa", ["", "simple", "simple", "simple"], seed="5")
    for key in ("ArrowDown", "ArrowRight", "Space", "."):
        before = plies(page)
        page.keyboard.press(key)
        wait_for_plies(page, before + 1)
    first = [each.split("/")[0] for each in moves(page)]
    assert first == ["down", "right", "bomb", "stop"]
    written = json.loads(copied(page, "#pz-copy-json"))
    assert [actions[0] for actions in written["actions"]] == [2, 4, 5, 0]


def test_the_radio_sends_words(page, server):
    begin(
        page, server.address, "pommerman-team-radio", ["", "random", "random", "random"], seed="5"
    )
    words = page.locator("#pz-parts select")
    words.nth(0).select_option("3")
    words.nth(1).select_option("7")
    page.keyboard.press("ArrowDown")
    wait_for_plies(page, 1)
    assert moves(page)[0].startswith("down (3, 7)/")


def test_a_wrong_position_is_told_and_nothing_is_lost(page, server):
    begin(page, server.address, "chess", ["", ""])
    move(page, "e2", "e4")
    page.fill("#pz-position", "8/8/8 w - - 0 1")
    page.click("#pz-set")
    assert "expected 8 ranks" in error(page)
    assert moves(page) == ["e4"]
    page.fill("#pz-position", "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1")
    page.click("#pz-set")
    page.wait_for_selector('[data-spot=f7][aria-label*="queen"]')
    assert plies(page) == 0


PGN = """[White "Doe, Jane"]
[Black "Roe, Richard"]

1. e4 {[%eval 0.3]} e5 2. Nf3 *"""


def test_a_game_and_a_position_are_pasted_and_dropped(page, server):
    begin(page, server.address, "chess", ["", ""])
    page.evaluate("text => navigator.clipboard.writeText(text)", PGN)
    page.keyboard.press("Control+v")
    until(page, lambda: moves(page) == ["e4", "e5", "Nf3"])
    assert "Roe, Richard" in page.inner_text("#pz-player-top")
    assert "Doe, Jane" in page.inner_text("#pz-player-bottom")
    assert '[White "Doe, Jane"]' in copied(page, "#pz-copy-pgn")
    drop = """text => {
      const data = new DataTransfer();
      data.items.add(new File([text], "a.pgn"));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
    }"""
    page.evaluate(drop, "1. d4 d5")
    until(page, lambda: moves(page) == ["d4", "d5"])
    page.evaluate(drop, "1. d4 d6 2. Ke4 1-0")
    assert "cannot be read as PGN: illegal move: 2. Ke4" in error(page)
    assert page.input_value("#pz-position") == "1. d4 d6 2. Ke4 1-0"
    page.evaluate(drop, "1. d4 d6 2. Kf5 1-0")  # what the message is about is what can be mended
    until(page, lambda: "Kf5" in error(page))
    assert page.input_value("#pz-position") == "1. d4 d6 2. Kf5 1-0"
    assert moves(page) == ["d4", "d5"]
    page.evaluate(drop, "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1")
    page.wait_for_selector('[data-spot=f7][aria-label*="queen"]')
    page.goto("about:blank")
    page.goto(server.address)
    page.wait_for_selector("#pz-setup[open]")
    page.evaluate(drop, PGN)
    until(page, lambda: moves(page) == ["e4", "e5", "Nf3"])


NESTED = """1. e4 e5 (1... c5 2. Nf3 d6 (2... Nc6 3. d4 cxd4 4. Nxd4 (4. c3 dxc3 5. Nxc3 (5. Bc4
cxb2 6. Bxb2 (6. Qb3 bxa1=Q 7. Bxf7#))) 4... g6) 3. d4) (1... e6 2. d4 d5) 2. Nf3"""


@pytest.mark.parametrize("width", [1280, 390])
def test_nested_variations_are_indented_and_clicked(page, server, width):
    page.set_viewport_size({"width": width, "height": 844})
    begin(page, server.address, "chess", ["", ""])
    page.fill("#pz-position", NESTED)
    page.click("#pz-set")
    until(page, lambda: plies(page) == 24)
    page.wait_for_selector(f"#pz-moves {'.variation ' * 5}button")  # drawn to its depths

    def box(place):
        return page.locator(f"#pz-moves {place}").first.bounding_box()

    lefts = [box(f"{'.variation ' * depth}button")["x"] for depth in range(6)]
    assert lefts == sorted(set(lefts))
    # A variation begins with a move, not with a line of its own for a sign.
    assert box(".variation button")["y"] - box(".variation")["y"] < 4
    assert page.evaluate(
        "(list => list.scrollWidth <= list.clientWidth)(document.getElementById('pz-moves'))"
    )
    page.click("#pz-moves button:has-text('Bxf7#')")
    page.wait_for_selector('[data-spot=f7][aria-label^="f7, white bishop"]')
    assert page.inner_text('#pz-moves [aria-current="step"]') == "7. Bxf7#"
    page.keyboard.press("ArrowLeft")
    until(page, lambda: page.inner_text('#pz-moves [aria-current="step"]') == "bxa1=Q")
    # Another line, and its end before it is on the board.
    other = page.locator("#pz-moves button:has-text('e6')")
    other.evaluate("button => { button.click(); document.getElementById('pz-last').click(); }")
    page.wait_for_selector('[data-spot=d5][aria-label^="d5, black pawn"]')
    assert page.locator("#pz-error").is_hidden()


def test_on_a_phone_the_board_is_seen_with_its_moves_and_nothing_is_cut(page, server):
    page.set_viewport_size({"width": 390, "height": 844})
    begin(page, server.address, "chess", ["", "mcts:net=phasezoo/chess-small,nodes=20"])
    move(page, "e2", "e4")
    wait_for_plies(page, 2)
    page.wait_for_selector("#pz-search h3 small:has-text('before the last move')")
    for place in ("#pz-search h3", "#pz-player-top p", "#pz-bar"):
        whole = f"(all => all.scrollWidth <= all.clientWidth)(document.querySelector('{place}'))"
        assert page.evaluate(whole), place
    tops = [page.locator(f"#pz-{name}").bounding_box()["y"] for name in ("new", "runs", "theme")]
    assert len(set(tops)) == 1
    page.fill("#pz-position", PGN)
    page.click("#pz-set")
    until(page, lambda: moves(page) == ["e4", "e5", "Nf3"])
    board, played = (page.locator(f"#pz-{name}").bounding_box() for name in ("board", "moves"))
    assert -1 < board["y"] < board["y"] + board["height"] < 844
    assert played["y"] + played["height"] - board["y"] < 844


def test_what_the_page_takes_is_told_for_each_game(page, server):
    for game, label, taken in (
        ("chess", "Position or game", "FEN or PGN"),
        ("connect-four", "Position", "the columns played so far"),
        ("pommerman-ffa", "Position", "the JSON of a state"),
    ):
        page.goto("about:blank")
        begin(page, server.address, game, [""] * (4 if "ffa" in game else 2))
        assert page.get_attribute("#pz-position", "placeholder") == taken
        assert page.inner_text("#pz-position-row span") == label
        assert page.locator("#pz-copy-pgn").is_visible() == ("PGN" in taken)


def test_an_error_stays_until_it_is_closed_or_mended_and_moves_nothing(page, server):
    begin(page, server.address, "chess", ["", ""])
    choose(page, "#pz-look-agent", "mcts:nodes=10")
    page.click("#pz-look")
    until(page, lambda: page.locator("#pz-search .visits").count() == 1)
    page.evaluate("scrollTo(0, 0)")
    board = page.locator("#pz-strip").bounding_box()
    bad = f'[White "{"long " * 60}"]\n\n1. e4 e5 2. Qh9 Nf6'
    page.fill("#pz-position", bad)
    page.click("#pz-set")
    told = error(page)
    assert '"Qh9" at move 2.' in told
    before = page.inner_text("#pz-search .facts")
    until(page, lambda: page.inner_text("#pz-search .facts") != before)  # pictures have come
    page.keyboard.press("ArrowRight")
    assert error(page) == told
    assert page.get_attribute("#pz-error", "role") == "alert"
    assert page.input_value("#pz-position") == bad
    page.evaluate("scrollTo(0, 0)")
    assert page.locator("#pz-strip").bounding_box() == board
    page.click("#pz-error button")
    assert page.locator("#pz-error").is_hidden()
    page.click("#pz-set")
    assert error(page) == told
    page.fill("#pz-position", "1. e4 e5 2. Qh5 Nf6")
    page.click("#pz-set")
    until(page, lambda: moves(page) == ["e4", "e5", "Qh5", "Nf6"])
    assert page.locator("#pz-error").is_hidden()
    assert page.input_value("#pz-position") == ""


def test_without_a_game_the_page_says_what_to_do_and_offers_nothing_else(page, server):
    page.goto(server.address)
    page.click("#pz-setup-cancel")
    assert "New game" in page.inner_text("#pz-title")
    for _ in range(8):
        page.keyboard.press("Tab")
        assert page.evaluate("!document.activeElement.closest('main')")
    page.keyboard.press("ArrowLeft")
    page.click("#pz-new")
    page.click("#pz-setup-go")
    page.wait_for_selector("#pz-board .spot")
    page.click("#pz-flip")


def test_a_page_that_comes_back_finds_its_game(page, server):
    begin(page, server.address, "chess", ["", ""])
    move(page, "e2", "e4")
    page.reload()
    wait_for_plies(page, 1)
    move(page, "e7", "e5")
    page.evaluate("window.closedBefore = true")
    page.context.set_offline(True)
    page.evaluate("0")
    page.context.set_offline(False)
    move(page, "d2", "d4")
    assert moves(page) == ["e4", "e5", "d4"]


def test_nothing_is_wider_than_a_phone(browser, server):
    page = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True).new_page()
    begin(page, server.address, "chess", ["", "mcts:nodes=20,seed=1"])
    wide = "document.documentElement.scrollWidth"
    assert page.evaluate(wide) <= 390
    page.click("#pz-runs")
    page.wait_for_selector("#pz-library[open]")
    page.click("#pz-items button:has-text('atomic')")
    page.wait_for_selector(".games tbody tr")
    for name in ("library", "setup", "agent"):
        page.evaluate("document.querySelectorAll('dialog[open]').forEach((each) => each.close())")
        page.evaluate(f"document.getElementById('pz-{name}').showModal()")
        box = page.locator(f"#pz-{name}").bounding_box()
        assert box["x"] >= 0, name
        assert box["x"] + box["width"] <= 390, name
        assert page.evaluate(wide) <= 390, name
    page.context.close()
