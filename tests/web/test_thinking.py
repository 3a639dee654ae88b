"""What the page shows of searches, phases and runs, in a real browser."""

import re

import pytest
from tests.web.acting import begin, choose, move, moves, plies, said, until, wait_for_plies

from phasezoo import games

pytestmark = pytest.mark.web

EXPERTS = "m2cts:experts=phasezoo/chess-small,nodes=24,batch_size=8,search_gate=lichess:engine"


def test_the_phase_strip_of_two_agents(page, server):
    begin(page, server.address, "chess", [EXPERTS, EXPERTS], pace="0")
    wait_for_plies(page, 8)
    page.click("#pz-run")
    until(page, lambda: page.inner_text("#pz-run") == "Go on")
    count = plies(page)
    legend = page.inner_text("#pz-strip .legend")
    assert "by lichess:engine (above) and lichess:classic (below)" in legend
    assert f"of {count + 1} plies" in legend
    assert page.locator("#pz-strip rect").count() > count  # a bar of experts for every ply
    page.focus("#pz-strip .slider")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    until(page, lambda: page.get_attribute("#pz-strip .slider", "aria-valuenow") == "1")
    told = page.get_attribute("#pz-strip .slider", "aria-valuetext")
    assert told.startswith(f"ply 1 of {count}; opening by lichess:engine; opening by")
    assert "expert answered for the root" in told
    assert "leaves by expert" in page.inner_text("#pz-search")
    assert page.locator("#pz-bar").is_visible()
    assert page.evaluate("document.activeElement.getAttribute('role')") == "slider"


def test_analysis_draws_arrows_and_lines_while_it_searches(page, server):
    begin(page, server.address, "chess", ["", ""])
    choose(page, "#pz-look-agent", "mcts:net=phasezoo/chess-small,batch_size=8")
    page.click("#pz-look")
    page.wait_for_selector("#pz-search .visits")
    assert page.get_attribute("#pz-look", "aria-pressed") == "true"
    assert page.is_disabled("#pz-hurry")
    until(page, lambda: page.locator(".arrows line").count() > 0)
    assert page.locator("#pz-search .lines li").count() == 3
    move(page, "e2", "e4")
    page.keyboard.press("ArrowLeft")  # the position on the board is the one that is analysed
    until(page, lambda: page.inner_text("#pz-search h3").startswith("White"))
    until(page, lambda: page.locator("#pz-search .pulse").count() == 1)
    assert "before the last move" not in page.inner_text("#pz-search")
    choose(page, "#pz-look-agent", "uct:simulations=40")
    until(page, lambda: "uct" in page.inner_text("#pz-search h3"))
    before = page.inner_text("#pz-search .facts")
    until(page, lambda: page.inner_text("#pz-search .facts") != before)
    page.click("#pz-look")
    until(page, lambda: page.get_attribute("#pz-look", "aria-pressed") == "false")


def test_a_game_is_analysed(page, server):
    begin(page, server.address, "chess", ["", ""])
    for start, end in (("e2", "e4"), ("d7", "d5"), ("e4", "d5"), ("d8", "d5")):
        move(page, start, end)
    choose(page, "#pz-look-agent", EXPERTS)
    page.click("#pz-review")
    until(page, lambda: page.locator("#pz-moves .value").count() == 4)
    until(page, lambda: page.inner_text("#pz-review") == "Analyse game")
    values = page.locator("#pz-moves .value").all_inner_texts()
    assert all(re.fullmatch(r"[+−]?\d\.\d\d", each) for each in values)
    assert "−0.00" not in values
    assert re.search(r"experts disagree on \d of 5 plies", page.inner_text("#pz-strip .legend"))
    assert "(middlegame)" in page.get_attribute("#pz-strip .slider", "aria-valuetext")
    assert page.locator("#pz-strip polyline.value").count() == 1
    page.keyboard.press("Home")
    until(page, lambda: page.locator("#pz-search .visits").count() == 1)


def test_who_analyses_is_an_agent_of_the_game(page, server):
    begin(page, server.address, "chess", ["", ""])
    choose(page, "#pz-look-agent", "policy:net=phasezoo/chess-small")
    for game, agent in (
        ("connect-four", "phasezoo/connect-four"),
        ("chess", "policy:net=phasezoo/chess"),
    ):
        page.click("#pz-new")
        page.select_option("[name=kind]", game)
        choose(page, "[name=player-1]", "")
        page.click("#pz-setup-go")
        until(page, lambda agent=agent: agent in page.input_value("#pz-look-agent"))
        page.click("#pz-look")
        until(page, lambda: page.locator("#pz-search .analysis").count() == 1)
        page.click("#pz-look")
        assert page.locator("#pz-error").is_hidden()


def test_without_a_gate_the_strip_speaks_of_no_phase(page, server):
    begin(page, server.address, "chess", ["", ""], gate="none")
    move(page, "e2", "e4")
    strip = page.inner_text("#pz-strip")
    assert "none" not in strip
    assert "Choose a gate" in strip
    assert "ply 1 of 1" in strip


def test_nothing_moves_when_searches_and_moves_come(page, server):
    begin(page, server.address, "chess", ["", EXPERTS])
    places = ("board", "run", "strip-title", "moves", "players", "position")

    def boxes():
        page.evaluate("scrollTo(0, 0)")
        return {place: page.locator(f"#pz-{place}").bounding_box() for place in places}

    before = boxes()
    choose(page, "#pz-look-agent", EXPERTS)
    page.click("#pz-look")
    until(page, lambda: page.locator("#pz-search .visits").count() > 0)
    assert boxes() == before
    move(page, "e2", "e4")
    wait_for_plies(page, 2)
    page.click("#pz-look")
    page.click("#pz-review")
    until(page, lambda: page.locator("#pz-moves .value").count() == 2)
    assert boxes() == before


def test_an_agent_is_chosen_by_a_form(page, server):
    page.goto(server.address)
    page.select_option("[name=kind]", "connect-four")
    page.select_option("[name=player-1]", "")
    page.click("[name=player-1] + button")
    page.select_option("#pz-agent [name=agent]", "uct")
    page.wait_for_selector("#pz-agent [data-option=simulations]")
    page.fill("[data-option=simulations]", "many")
    page.keyboard.press("Enter")
    page.wait_for_selector("#pz-agent-error:not(:empty)")
    assert "whole number" in page.inner_text("#pz-agent-error")
    page.fill("[data-option=simulations]", "30")
    page.keyboard.press("Enter")
    page.wait_for_selector("#pz-agent", state="hidden")
    assert page.input_value("[name=player-1]") == "uct:simulations=30"
    page.click("[name=player-1] + button")
    page.click("#pz-agent summary:has-text('as text')")
    page.fill("#pz-agent-text", "utc:simulations=30")
    page.keyboard.press("Enter")
    page.wait_for_selector("#pz-agent-error:not(:empty)")
    assert "did you mean 'uct'" in page.inner_text("#pz-agent-error")


def test_move_now_ends_a_search(page, server):
    begin(page, server.address, "connect-four", ["", "mcts:nodes=100000000"])
    page.click('[data-spot="4"]')
    page.wait_for_selector("#pz-hurry:not([disabled])")
    until(page, lambda: page.locator("#pz-search .visits").count() == 1)
    page.keyboard.press("m")
    wait_for_plies(page, 2)


def test_a_lost_connection_comes_back(page, server):
    links = []

    def route(link):
        links.append(link)
        link.connect_to_server()

    page.route_web_socket("**/ws", route)
    begin(page, server.address, "connect-four", ["", ""])
    page.click('[data-spot="4"]')
    wait_for_plies(page, 1)
    links[-1].close()
    until(page, lambda: len(links) == 2 and page.inner_text("#pz-link") == "connected")
    page.click('[data-spot="3"]')
    wait_for_plies(page, 2)
    assert moves(page) == ["4", "3"]


def test_sample_games_are_opened_and_played_on(page, server):
    page.goto(server.address)
    page.wait_for_selector("#pz-setup[open]")
    page.click("#pz-setup-cancel")
    page.click("#pz-runs")
    page.click("#pz-items button:has-text('atomic')")
    page.click(".games tbody tr >> nth=2 >> td >> nth=1")
    page.wait_for_selector("#pz-library", state="hidden")
    until(page, lambda: plies(page) > 5)
    page.keyboard.press("]")
    until(page, lambda: page.get_attribute("#pz-strip .slider", "aria-valuenow") == "1")
    assert "after 1 ply" in said(page)


class Drawn:
    """Take one or two of five, drawn by itself."""

    def __init__(self, left=5, to_play=0):
        self.left, self.to_play = left, to_play

    is_terminal = property(lambda self: self.left == 0)

    @property
    def legal_actions(self):
        import numpy as np

        return np.arange(min(2, self.left))

    @property
    def returns(self):
        return [1.0, -1.0] if self.to_play else [-1.0, 1.0]

    def play(self, action):
        return Drawn(self.left - 1 - int(action), 1 - self.to_play)

    def planes(self, spec, player=None):
        import numpy as np

        return (np.arange(5).reshape(1, 1, 5) < self.left).astype(np.float32)

    def svg(self):
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10">'
            "<script>window.ran = 1</script>"
            '<rect data-action="0" width="10" height="10" fill="teal" onclick="window.ran = 2"/>'
            '<rect data-action="1" x="10" width="10" height="10" fill="gold"/></svg>'
        )


class Unseen(Drawn):
    """Planes without the player that the contract has, and no drawing."""

    svg = None

    def planes(self, spec):
        return None


def test_a_game_that_cannot_be_shown_says_why_and_leaves_nothing_to_click(page, server):
    sizes = {"num_players": 2, "num_actions": 2, "plane_specs": {"default": (1, 1, 5)}}
    games.register("web-unseen", initial_state=Unseen, **sizes)
    begin(page, server.address, "connect-four", ["", ""])
    page.click("#pz-new")
    page.select_option("[name=kind]", "web-unseen")
    page.click("#pz-setup-go")
    page.wait_for_selector("#pz-error:not([hidden])")
    assert "'web-unseen' cannot be shown: TypeError" in page.inner_text("#pz-error p")
    assert page.evaluate("document.querySelector('main').inert")
    begin(page, server.address, "connect-four", ["", ""])
    move(page, "4")
    wait_for_plies(page, 1)


def test_a_game_of_ones_own_is_played_on_its_drawing_and_scripts_in_it_are_not_run(
    page, server, complaints
):
    sizes = {"num_players": 2, "num_actions": 2, "plane_specs": {"default": (1, 1, 5)}}
    games.register("web-take", initial_state=Drawn, **sizes)
    begin(page, server.address, "web-take", ["", ""])
    page.click('[data-action="1"]')
    wait_for_plies(page, 1)
    page.focus('#pz-board [data-action="1"]')
    page.keyboard.press("Enter")
    wait_for_plies(page, 2)
    assert moves(page) == ["1", "1"]
    page.dispatch_event('#pz-board [data-action="0"]', "click")
    assert page.evaluate("window.ran === undefined")
    # Some versions of Chromium complain in the console about what they did not run.
    assert all("Content Security Policy" in each for each in complaints)
    complaints.clear()
