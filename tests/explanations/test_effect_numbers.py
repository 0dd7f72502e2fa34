"""Numbers of effects: many are rounded as Python rounds each, and add up as they are printed."""

import numpy as np
import orjson

from explanations.effect_numbers import printed_numbers, rounded_numbers


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


def test_the_numbers_of_many_rows_are_those_of_each_row_alone() -> None:
    scores, effects, points = _rows(500)

    together = printed_numbers(rounded_numbers(scores, effects, points))

    alone = [
        printed_numbers(rounded_numbers([score], [parts], [of_points]))[0]
        for score, parts, of_points in zip(scores, effects, points, strict=True)
    ]
    assert repr(together) == repr(alone)  # 0 and -0 are equal, and have two texts
    for row, raw in zip(together, points, strict=True):
        assert repr(row.rounded.points) == repr([round(each, 7) for each in raw])


def test_printed_numbers_add_up_and_are_written_in_their_order() -> None:
    scores, effects, points = _rows(200)

    for printed, parts in zip(printed_numbers(rounded_numbers(scores, effects, points)), effects, strict=True):
        score, reference, rest, *others = (orjson.loads(text) for text in printed.texts)
        row = printed.rounded
        assert [score, reference, *others] == [row.score, row.reference_score, *row.effects, *row.points]
        assert len(row.effects) == len(parts)
        largest = max(abs(score), abs(reference), *map(abs, row.effects))
        assert abs(score - reference - sum(row.effects) - rest) <= 1e-12 * largest
