"""How the conformance tests play environments of different kinds."""

import numpy as np

from phasezoo.observation.action_parts import flat_mask


def at_once(name):
    """Whether the players of an environment, by id or module, move at once: no self-play then."""
    return "pommerman" in name.lower()


def opponents(name, *kinds):
    """Options with each kind of opponent; None is self-play, left out where there is none."""
    key = "opponents" if at_once(name) else "opponent"
    return [{key: kind} for kind in kinds if kind is not None or not at_once(name)]


def without_opponent(name):
    """Self-play, or where there is none random opponents."""
    return {"opponents": "random"} if at_once(name) else {"opponent": None}


def smallest_planes(game):
    """The choice of planes with the fewest numbers."""
    return min(game.plane_specs, key=lambda spec: int(np.prod(game.plane_specs[spec])))


def gate_of(env_id):
    """A gate that fits every game, with more than one phase in a random game."""
    return "plies:5,20"


def legal_action(mask, space, rng):
    """A random action that a mask allows; a mask of ones allows all."""
    if isinstance(mask, tuple):
        return np.array([rng.choice(np.flatnonzero(part)) for part in mask])
    del space
    return int(rng.choice(np.flatnonzero(mask)))


def action_for(env, info, rng):
    """A legal action of a Gymnasium environment, by the mask in ``info``."""
    assert np.array_equal(flat_mask(info["action_mask"]) > 0, env.unwrapped.action_masks())
    return legal_action(info["action_mask"], env.action_space, rng)


def mask_of(observation, info):
    """The mask of a PettingZoo agent: in its observation, or where that is bare in its info."""
    return observation["action_mask"] if isinstance(observation, dict) else info["action_mask"]


def bare(observation):
    """The planes of a PettingZoo observation."""
    return observation["observation"] if isinstance(observation, dict) else observation
