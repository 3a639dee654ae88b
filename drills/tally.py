"""What came of stopping work again and again, and how it is shown."""

from dataclasses import dataclass, field

__all__ = ["Tally", "show_head"]


def show_head(kind: str, stops: str) -> None:
    """Print what stands above the lines.

    Args:
        kind: What a line is of.
        stops: What stops it.
    """
    print(f"{kind:<12} {stops:>6} {'ends':>6} {'found':>6} {'alone':>8}")


@dataclass
class Tally:
    """What came of it."""

    stops: int = 0
    """Times that the work was stopped before it had ended."""
    ends: int = 0
    """Runs that came to their end, each compared with the one that was left alone."""
    found: list[str] = field(default_factory=list)
    """What went wrong."""
    seconds: float = 0.0
    """That the run took which was left alone."""

    def show(self, name: str) -> None:
        """Print a line, and one for everything that was found."""
        counts = f"{self.stops:>6} {self.ends:>6} {len(self.found):>6}"
        print(f"{name:<12} {counts} {self.seconds:>6.1f} s", flush=True)
        for found in self.found:
            print(f"  {found}")
