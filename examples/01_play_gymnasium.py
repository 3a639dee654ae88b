"""Chess as a Gymnasium environment: one game, many boards at once, and PettingZoo.

The learner plays White, an opponent inside the environment plays Black. Masks say which actions are
legal, `gate=` puts the phase of the game into `info`, and a picture needs no display.
"""

import time
from collections import Counter

import gymnasium as gym
import numpy as np

import phasezoo  # noqa: F401  (registers the environments)
from phasezoo.envs import chess_v0


def one_game():
    """A whole game of random moves, and how long each of its phases was."""
    env = gym.make("Chess-v0", opponent="random", gate="lichess", render_mode="rgb_array")
    env.action_space.seed(7)
    _, info = env.reset(seed=7)
    names = env.unwrapped.gate.names
    phases = Counter()
    over = False
    while not over:
        action = env.action_space.sample(info["action_mask"])
        _, reward, terminated, truncated, info = env.step(action)
        phases[names[info["phase"]]] += 1
        over = terminated or truncated
    spans = ", ".join(f"{count} moves of {name}" for name, count in phases.items())
    print(f"{info['result']} by {info['reason']}: {spans}; the learner's reward is {reward:+.0f}")
    frame = env.render()
    print(f"the last position is a picture of {frame.shape[1]} x {frame.shape[0]} pixels")


def an_opponent_of_ones_own():
    """Anything that takes observation and info and gives an action may sit on the other side."""

    def takes_what_it_can(observation, info):
        state = info["state"]
        captures = [a for a in state.legal_actions if "x" in state.san(a)]
        return int(captures[0] if captures else state.legal_actions[0])

    env = gym.make("Chess-v0", opponent=takes_what_it_can, agent_color="black", max_plies=60)
    rng = np.random.default_rng(1)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        _, _, terminated, truncated, info = env.step(action)
        over = terminated or truncated
    print(f"after {info['ply']} plies against the taker: {info['fen'].split()[0]}")


def two_agents():
    """The same game for PettingZoo, in which each player is an agent."""
    env = chess_v0.env(max_plies=40)
    env.reset(seed=7)
    for name in env.possible_agents:
        env.action_space(name).seed(7)
    for agent in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        over = termination or truncation
        env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
    print(f"PettingZoo's game stands at {env.unwrapped.game_state.fen.split()[0]}")


def boards_a_second(boards, steps):
    """Boards stepped together in native code; the environment plays both sides."""
    envs = gym.make_vec("Chess-v0", num_envs=boards, opponent=None, gate="lichess")
    rng = np.random.default_rng(7)
    envs.reset(seed=7)
    results = Counter()
    began = time.perf_counter()
    for _ in range(steps):
        actions = envs.unwrapped.sample_actions(rng)
        _, _, _, _, infos = envs.step(actions)
        results.update(infos["result"][infos["_result"]].tolist())
    speed = boards * steps / (time.perf_counter() - began)
    ended = f"{results[1]} won by White, {results[0]} drawn, {results[-1]} won by Black"
    print(f"{results.total()} games of random play ended: {ended}")
    print(f"{boards} boards at once: {speed:,.0f} moves a second, masks and planes included")


def main(boards=256, steps=600):
    one_game()
    an_opponent_of_ones_own()
    two_agents()
    boards_a_second(boards, steps)


if __name__ == "__main__":
    main()
