"""Limits of agents on the machine that all games share: time, memory, threads, processes."""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import is_dataclass, replace
from typing import Any, Protocol

from phasezoo import agents
from phasezoo.errors import InvalidConfig
from phasezoo.runs.provenance import usable_cores
from phasezoo.specs import read_spec

TREE_MB = 64
"""Size of the tree of an agent that names none."""

NODE_KB = 8.0
"""About what a node takes at most, its children counted."""

MOST_ROWS = 1_024
"""Positions that a search may give to its network at once."""

MOST_LAYER = 100_000
"""Positions that a search by layers may keep."""

ENGINE_SECONDS = 30.0
"""The longest that an engine may take to start, and beyond its time to answer."""

CLOSE_SECONDS = 3.0
"""Time that engines have to end with the server."""

THREADS = ("threads", "net_threads", "parallel")
"""Options that say with how many threads, or processes, an agent works."""


class Holder(Protocol):
    """An agent with a tree, or with a process."""

    tree_mb: float
    """About how large its tree gets."""
    is_engine: bool
    """Whether it has a process of its own."""

    def forget(self) -> None:
        """Let both go."""


class Bounds:
    """Keeps agents within the machine, and trees and processes of all games within a total.

    A tree is kept from move to move as long as there is room; those that have not been used for the
    longest time go first, and their agents begin another one.

    Args:
        move_seconds: The longest that a search goes on.
        memory_mb: MiB for all trees and caches of answers together.
        searches: Searches that go on at once.
        engines: Processes of engines at once.
    """

    def __init__(
        self,
        move_seconds: float = 60.0,
        memory_mb: int = 2_048,
        searches: int = 4,
        engines: int = 8,
    ) -> None:
        self.move_seconds = move_seconds
        self.memory_mb = memory_mb
        self.each_mb = max(1, memory_mb // (2 * searches))
        """The most for a tree: half of the memory is for trees, and half for caches."""
        self.engines = engines
        self._held: OrderedDict[Holder, None] = OrderedDict()
        self._busy: set[Holder] = set()
        self._lock = threading.Lock()

    def check(self, text: str) -> None:
        """Refuse a text that asks for more than a game may have."""
        cores = usable_cores()
        most = {
            **dict.fromkeys(THREADS, cores),
            "memory_mb": self.each_mb,
            "cache_mb": self.each_mb,
            "hash": self.each_mb,
            "batch_size": MOST_ROWS,
        }
        for option, value in read_spec(text).options.items():
            allowed = most.get(option.lower())
            if allowed is None:
                continue
            try:
                is_within = float(value) <= allowed
            except ValueError:
                continue  # it is refused by name where it is read
            if not is_within or (option == "memory_mb" and float(value) == 0):  # 0: no limit
                message = f"{option}={value}: at most {allowed:,} on this server; give less"
                raise InvalidConfig(message)

    def bounded(self, agent: Any) -> Any:
        """An agent whose searches end in time, and whose tree has a size.

        Args:
            agent: One that nobody else has; it is changed.
        """
        for name in ("limit", "first_limit"):
            limit = getattr(agent, name, None)
            if isinstance(limit, agents.Limit):
                setattr(agent, name, self._in_time(limit))
        for name in ("timeout_s", "start_timeout_s"):
            if isinstance(agent, agents.EngineAgent):
                setattr(agent, name, min(getattr(agent, name), ENGINE_SECONDS))
        config: Any = getattr(agent, "config", None)
        if getattr(config, "positions", 0) > MOST_LAYER:
            message = (
                f"schedule={config.schedule}: a search keeps at most {MOST_LAYER:,} positions here"
            )
            raise InvalidConfig(message)
        named = read_spec(getattr(agent, "spec", None) or "unnamed").options
        if "memory_mb" in named:
            return agent
        size = min(TREE_MB, self.each_mb)
        if isinstance(agent, agents.UCTAgent):
            agent.memory_mb = size
        elif is_dataclass(config) and hasattr(config, "with_") and hasattr(config, "memory_mb"):
            prunes = hasattr(config, "memory_full") and "memory_full" not in named
            more = {"memory_full": "prune"} if prunes else {}
            agent.config = config.with_(memory_mb=size, **more)
        return agent

    def _in_time(self, limit: agents.Limit) -> agents.Limit:
        most = 1_000.0 * self.move_seconds
        if limit.movetime_ms is not None:
            most = min(most, limit.movetime_ms)
        return replace(limit, movetime_ms=most, infinite=False)

    def tree_mb_of(self, agent: Any) -> float:
        """About how large an agent's tree gets: by its bound, or by the nodes of a search."""
        bound = getattr(getattr(agent, "config", agent), "memory_mb", 0)
        limit = getattr(agent, "limit", None)
        ends = (getattr(limit, "nodes", None), getattr(limit, "simulations", None))
        nodes = min((end for end in ends if end is not None), default=math.inf)
        return min(float(bound), 1.0 + nodes * NODE_KB / 1024)

    @contextmanager
    def holding(self, holder: Holder) -> Iterator[None]:
        """Make room for a tree or a process, and keep it during a search."""
        with self._lock:
            self._held[holder] = None
            self._held.move_to_end(holder)
            leaving = self._leaving(holder)
            for each in leaving:
                del self._held[each]
            if sum(each.is_engine for each in self._held) > self.engines:
                del self._held[holder]
                message = f"{self.engines} engines think already, and no more may: wait for one"
                raise InvalidConfig(message)
            self._busy.add(holder)
        try:
            for each in leaving:
                each.forget()
            yield
        finally:
            with self._lock:
                self._busy.discard(holder)

    def _leaving(self, holder: Holder) -> list[Holder]:
        """Those that make room for a searcher, the longest unused first."""
        trees = sum(each.tree_mb for each in self._held)
        engines = sum(each.is_engine for each in self._held)
        found = []
        for each in self._held:
            if each is holder or each in self._busy:
                continue
            if trees > self.memory_mb / 2 or (each.is_engine and engines > self.engines):
                found.append(each)
                trees, engines = trees - each.tree_mb, engines - each.is_engine
        return found

    def drop(self, holder: Holder) -> None:
        """Forget a searcher that has let its tree and process go."""
        with self._lock:
            self._held.pop(holder, None)

    def close(self) -> None:
        """End the processes of engines, all at once."""
        with self._lock:
            engines = [each for each in self._held if each.is_engine]
        ending = [threading.Thread(target=each.forget, daemon=True) for each in engines]
        for thread in ending:
            thread.start()
        ends = time.monotonic() + CLOSE_SECONDS
        for thread in ending:
            thread.join(max(0.0, ends - time.monotonic()))
