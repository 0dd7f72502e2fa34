"""Quota: how much of something all callers hold together, and each of them, so that no one of them has all."""

import math


class Quota:
    """An amount that callers share: of bytes, seconds or requests.

    Where nothing is held, even an amount that is larger than allowed fits, as it would never; unless that is 0.

    Parameters
    ----------
    most
        That all callers may hold together.
    most_of_caller
        That one caller may hold; ``None`` as the name of a caller stands for one that may hold all.
    """

    __slots__ = ("_held", "most", "most_of_caller", "total")

    def __init__(self, most: float, most_of_caller: float = math.inf) -> None:
        self.most = most
        self.most_of_caller = most_of_caller
        self.total = 0.0
        self._held: dict[str, float] = {}

    def held_by(self, caller: str | None) -> float:
        """Return how much a caller holds; 0 for one that is not counted."""
        return 0.0 if caller is None else self._held.get(caller, 0.0)

    def fits(self, amount: float) -> bool:
        """Return whether there is as much left of what all may hold."""
        return _fits(self.total, amount, self.most)

    def fits_without(self, caller: str | None, amount: float) -> bool:
        """Return whether there would be as much left if this caller held nothing."""
        return _fits(self.total - self.held_by(caller), amount, self.most)

    def is_within_share(self, caller: str | None, amount: float) -> bool:
        """Return whether there is as much left of what one caller may hold."""
        return caller is None or _fits(self.held_by(caller), amount, self.most_of_caller)

    def take(self, caller: str | None, amount: float) -> None:
        """Let a caller hold as much more; a negative amount is given back."""
        self.total = _without_dust(self.total + amount)
        if caller is None:
            return
        held = _without_dust(self.held_by(caller) + amount)
        if held:
            self._held[caller] = held
        else:
            self._held.pop(caller, None)


def _fits(held: float, amount: float, most: float) -> bool:
    return held + amount <= most or (not held and most > 0)


def _without_dust(amount: float) -> float:
    """Return the amount, or 0 where rounding of fractions left next to nothing."""
    return amount if amount > 1e-9 else 0.0  # a nanosecond
