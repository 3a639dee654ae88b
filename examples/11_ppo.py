"""Proximal policy optimisation in one file, after CleanRL's: Connect Four against random play.

The network sees the planes and the mask of `observation="masked"`; moves that are not allowed get
no probability. Games are stepped natively, all of them together; --help shows what can be set.
"""

import argparse
import time
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from torch import nn
from torch.distributions import Categorical

import phasezoo  # noqa: F401 - registers the environments
from phasezoo import arena


@dataclass
class Rollout:
    """What all games went through, `[steps, games, …]`."""

    planes: torch.Tensor
    masks: torch.Tensor
    actions: torch.Tensor
    log_probs: torch.Tensor
    values: torch.Tensor
    rewards: torch.Tensor
    dones: torch.Tensor  # whether the game ended with this step


class Agent(nn.Module):
    """Policy and value on a shared body."""

    def __init__(self, shape, actions, width=128):
        super().__init__()
        self.body = nn.Sequential(
            nn.Flatten(),
            layer(int(np.prod(shape)), width),
            nn.Tanh(),
            layer(width, width),
            nn.Tanh(),
        )
        self.policy = layer(width, actions, gain=0.01)
        self.value = layer(width, 1, gain=1.0)

    def forward(self, planes, masks):
        hidden = self.body(planes)
        logits = self.policy(hidden).masked_fill(masks == 0, -1e9)
        return Categorical(logits=logits), self.value(hidden).squeeze(-1)


def layer(inputs, outputs, gain=2**0.5):
    made = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(made.weight, gain)
    nn.init.zeros_(made.bias)
    return made


class Collector:
    """Steps the games, and counts those that ended."""

    def __init__(self, envs, seed):
        self.envs = envs
        self.now, _ = envs.reset(seed=seed)
        self.results = []

    def collect(self, agent, steps):
        """Play so many steps of every game; returns them and the values of what comes next."""
        rows = []
        for _ in range(steps):
            planes, masks = self.seen()
            with torch.no_grad():
                policy, values = agent(planes, masks)
                actions = policy.sample()
            self.now, rewards, terminated, truncated, _ = self.envs.step(actions.numpy())
            dones = terminated | truncated  # these games have begun anew: SAME_STEP
            self.results += rewards[dones].tolist()
            paid = torch.as_tensor(rewards, dtype=torch.float32)
            ended = torch.as_tensor(dones, dtype=torch.float32)
            log_probs = policy.log_prob(actions)
            rows.append((planes, masks, actions, log_probs, values, paid, ended))
        with torch.no_grad():
            following = agent(*self.seen())[1]
        return Rollout(*(torch.stack(column) for column in zip(*rows, strict=True))), following

    def seen(self):
        return torch.as_tensor(self.now["observation"]), torch.as_tensor(self.now["action_mask"])


def advantages_of(rollout, following, gamma, trace):
    """Generalised advantage estimation (Schulman et al. 2016, equation 16)."""
    advantages = torch.zeros_like(rollout.rewards)
    running = torch.zeros_like(following)
    for step in reversed(range(len(advantages))):
        goes_on = 1 - rollout.dones[step]
        error = rollout.rewards[step] + gamma * following * goes_on - rollout.values[step]
        running = error + gamma * trace * goes_on * running
        advantages[step], following = running, rollout.values[step]
    return advantages


def update(agent, optimizer, rollout, advantages, options, generator):
    """Some epochs of minibatches over a rollout (Schulman et al. 2017, equations 7 and 9)."""
    rows = {name: tensor.flatten(0, 1) for name, tensor in vars(rollout).items()}
    advantages = advantages.flatten()
    returns = advantages + rows["values"]
    for _ in range(options.epochs):
        order = torch.randperm(len(returns), generator=generator)
        for part in order.split(options.minibatch):
            policy, values = agent(rows["planes"][part], rows["masks"][part])
            ratio = (policy.log_prob(rows["actions"][part]) - rows["log_probs"][part]).exp()
            gain = advantages[part]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            clipped = ratio.clamp(1 - options.clip, 1 + options.clip)
            policy_loss = -torch.min(ratio * gain, clipped * gain).mean()
            value_loss = 0.5 * (values - returns[part]).square().mean()
            entropy = policy.entropy().mean()
            optimizer.zero_grad()
            (policy_loss + 0.5 * value_loss - options.entropy * entropy).backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def train(options):
    torch.manual_seed(options.seed)
    generator = torch.Generator().manual_seed(options.seed)
    envs = gym.make_vec(
        options.env,
        num_envs=options.games,
        vectorization_mode="vector_entry_point",
        opponent="random",
        agent_color="alternate",
        observation="masked",
        autoreset_mode=AutoresetMode.SAME_STEP,
    )
    shape = envs.single_observation_space["observation"].shape
    agent = Agent(shape, int(envs.single_action_space.n))
    optimizer = torch.optim.Adam(agent.parameters(), lr=options.learning_rate, eps=1e-5)
    collector = Collector(envs, options.seed)
    updates = max(1, options.steps // (options.games * options.horizon))
    began = time.perf_counter()
    for number in range(1, updates + 1):
        optimizer.param_groups[0]["lr"] = options.learning_rate * (1 - (number - 1) / updates)
        rollout, following = collector.collect(agent, options.horizon)
        advantages = advantages_of(rollout, following, options.gamma, options.trace)
        update(agent, optimizer, rollout, advantages, options, generator)
        if number % -(-updates // 10) == 0:
            steps = number * options.games * options.horizon
            speed = steps / (time.perf_counter() - began)
            recent = np.array(collector.results[-200:])
            print(f"{steps:7} steps, {speed:5.0f} a second: won {(recent > 0).mean():.0%}")
    envs.close()
    return agent, np.array(collector.results)


def parsed(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--env", default="ConnectFour-v0", help="an environment with an opponent")
    parser.add_argument("--steps", type=int, default=20_000, help="of all games together")
    parser.add_argument("--games", type=int, default=16, help="played at the same time")
    parser.add_argument("--horizon", type=int, default=64, help="steps between updates")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--minibatch", type=int, default=256)
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    parser.add_argument("--gamma", type=float, default=0.99)
    parser.add_argument("--trace", type=float, default=0.95, help="lambda of the advantages")
    parser.add_argument("--clip", type=float, default=0.2)
    parser.add_argument("--entropy", type=float, default=0.01)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(arguments)


def main(arguments=None):
    _, results = train(parsed(arguments))
    for name, part in (("first", results[:200]), ("last", results[-200:])):
        rate = arena.rate_of((part > 0).astype(float).tolist(), 1)
        print(
            f"won {rate.value:.0%} of the {name} {len(part)} games of training "
            f"({rate.low:.0%} to {rate.high:.0%}, 95 %)"
        )


if __name__ == "__main__":
    main()
