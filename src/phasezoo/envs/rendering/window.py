"""A window that shows pictures, by pygame."""

from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from phasezoo.errors import needs


class Window:
    """Shows one picture after another; opened with the first, and not again once it was closed.

    Copies and pickles open a window of their own.

    Args:
        title: What the window is called.
        fps: The most pictures per second.

    Raises:
        MissingDependency: pygame is not installed.
    """

    def __init__(self, title: str, fps: float) -> None:
        _pygame()
        self._title = title
        self._fps = fps
        self._surface: Any = None
        self._clock: Any = None
        self._is_closed = False

    def show(self, picture: npt.NDArray[np.uint8]) -> None:
        """Show ``uint8[H, W, 3]``, and wait if the last picture was shown just now."""
        pygame = _pygame()
        if self._surface is not None and any(
            event.type == pygame.QUIT for event in pygame.event.get()
        ):
            self.close()
        if self._is_closed:
            return
        if self._surface is None:
            pygame.display.init()
            pygame.display.set_caption(self._title)
            self._surface = pygame.display.set_mode((picture.shape[1], picture.shape[0]))
            self._clock = pygame.time.Clock()
        drawn = pygame.surfarray.make_surface(picture.swapaxes(0, 1))
        self._surface.blit(drawn, (0, 0))
        pygame.display.flip()
        self._clock.tick(self._fps)

    def close(self) -> None:
        """Close the window, for good."""
        if self._surface is not None:
            _pygame().display.quit()
        self._surface = self._clock = None
        self._is_closed = True

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_surface": None, "_clock": None}


def _pygame() -> Any:
    with needs("render_mode='human' needs pygame", "render"):
        return import_module("pygame")
