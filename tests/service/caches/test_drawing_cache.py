"""Drawings are drawn once of the same documents, again of others, and kept within a number of bytes."""

from dataclasses import dataclass
from typing import Any

from service.caches.drawing_cache import DrawingCache


@dataclass(frozen=True)
class _Shown:
    name: str | None
    n_first: int = 3


class _Drawn:
    """Counts how often it draws."""

    def __init__(self) -> None:
        self.n_drawn = 0

    def draw(self, document: dict[str, Any], shown: _Shown) -> str:
        self.n_drawn += 1
        return f"{document['rows']} {shown.name} {shown.n_first}" + 80 * "."


def test_a_drawing_is_made_once_and_again_when_anything_changes() -> None:
    drawings, drawn = DrawingCache(), _Drawn()
    changes: list[tuple[dict[str, Any], _Shown]] = [
        ({"rows": [1.5]}, _Shown("a")),
        ({"rows": [2.5]}, _Shown("a")),
        ({"rows": [1.5]}, _Shown("renamed")),
        ({"rows": [1.5]}, _Shown("a", 4)),
    ]

    first = [drawings.get(drawn.draw, *change) for change in changes]
    second = [drawings.get(drawn.draw, *change) for change in changes]

    assert first == second == [_Drawn().draw(*change) for change in changes]
    assert len(set(first)) == drawn.n_drawn == 4


def test_those_used_last_are_kept_within_a_number_of_bytes() -> None:
    drawings, drawn = DrawingCache(most_bytes=250), _Drawn()

    for number in (1, 2, 1, 3, 1):  # two of them fit; the second is forgotten
        drawings.get(drawn.draw, {"rows": number}, _Shown(None))
    assert drawn.n_drawn == 3
    drawings.get(drawn.draw, {"rows": 2}, _Shown(None))
    assert drawn.n_drawn == 4
