"""Train MaskablePPO of Stable-Baselines3 on native games, and play it (extra `sb3`)."""

from sb3_contrib import MaskablePPO

from phasezoo import agents, arena
from phasezoo.integrations import sb3

# King and rook against king, one or two moves from mate: 36 compact actions in place of 4,672.
envs = sb3.make_vec_env(
    "KRK-v0", n_envs=16, seed=1, start="dtm", dtm=(1, 2), planes="minimal", max_plies=12,
    compact_actions=True,
)  # fmt: skip
model = MaskablePPO("MlpPolicy", envs, n_steps=64, batch_size=256, seed=1, device="cpu")
model.learn(10_000)
won = [episode["r"] > 0 for episode in model.ep_info_buffer]
print(f"won {sum(won)} of the last {len(won)} games of training")

# An expert for every phase inside one policy: the gate says which, and it learns from its own rows.
gated = MaskablePPO(
    sb3.PhaseGatedPolicy,
    sb3.make_vec_env("ConnectFour-v0", n_envs=16, seed=1, gate="plies:12", with_phase=True),
    n_steps=32,
    batch_size=128,
    seed=1,
    device="cpu",
)
gated.learn(2_000)

# A model is an agent like any other: in matches, and as an opponent inside environments.
agent = agents.SB3Agent(gated, gate="plies:12")
match = arena.play_match(agent, agents.RandomAgent(seed=1), game="connect-four", games=20, seed=1)
print(f"phase-gated policy against random play: {match.wins} won, {match.losses} lost of 20")
