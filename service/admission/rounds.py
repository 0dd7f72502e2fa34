"""Rounds: what waits is taken one of each caller's at a time, however many of them a caller has waiting."""

from collections import deque
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

CallerT = TypeVar("CallerT", bound=Hashable)
Item = TypeVar("Item")


class Rounds(Generic[CallerT, Item]):
    """Items of callers; callers have their turns in the order in which they came, items of each in theirs."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: dict[CallerT, deque[Item]] = {}  # callers in the order of their turns

    def __bool__(self) -> bool:
        """Whether an item waits."""
        return bool(self._waiting)

    def add(self, caller: CallerT, item: Item) -> None:
        """Let an item wait for its turn."""
        self._waiting.setdefault(caller, deque()).append(item)

    def take(self, may_have_turn: Callable[[CallerT], bool] | None = None) -> tuple[CallerT, Item] | None:
        """Return the next item and its caller; ``None`` where no caller may have a turn."""
        for caller in self._waiting:
            if may_have_turn is None or may_have_turn(caller):
                items = self._waiting.pop(caller)
                item = items.popleft()
                if items:
                    self._waiting[caller] = items  # behind all others
                return caller, item
        return None
