"""Numbers of effects: they are rounded as Python rounds them, and add up as they are printed."""

import numpy as np
import orjson

from explanations.effect_numbers import printed_numbers


def _rows(n_rows: int) -> tuple[list[tuple[float, float]], list[list[float]], list[list[float]]]:
    """Return scores of all sizes, effects at and next to halves of their last decimal, and points."""
    rng = np.random.default_rng(0)
    sizes = 10.0 ** rng.integers(-20, 12, n_rows)
    scores = [(size * rng.normal(), size * rng.normal()) for size in sizes.tolist()]
    effects = [(size * rng.integers(-40_000_001, 40_000_001, 3) / 2e7).tolist() for size in sizes.tolist()]
    for row in range(0, n_rows, 3):
        effects[row] = [float(np.nextafter(effects[row][0], end)) for end in (0.0, 1e300)]
    points = [[-0.0, *(rng.integers(-20, 20, len(of_row) - 1) / 2e7).tolist()] for of_row in effects]
    return scores, effects, points


def test_points_are_rounded_as_python_rounds_them() -> None:
    for (score, reference), parts, raw in zip(*_rows(500), strict=True):
        printed = printed_numbers(score, reference, parts, raw)

        assert repr(printed.points) == repr([round(each, 7) for each in raw])  # 0 and -0 are equal


def test_printed_numbers_add_up_and_are_written_in_their_order() -> None:
    for scores, parts, points in zip(*_rows(200), strict=True):
        row = printed_numbers(*scores, parts, points)

        score, reference, rest, *others = (orjson.loads(text) for text in row.texts)
        assert [score, reference, *others] == [row.score, row.reference_score, *row.effects, *row.points]
        assert len(row.effects) == len(parts)
        largest = max(abs(score), abs(reference), *map(abs, row.effects))
        assert abs(score - reference - sum(row.effects) - rest) <= 1e-12 * largest
