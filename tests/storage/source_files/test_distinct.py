"""Distinct texts are counted as a set would, and the first one that comes again is found with its two rows."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from storage.source_files.distinct import count_distinct, first_repeat


def _blocks(rng: np.random.Generator, n_texts: int) -> list[list[str | None]]:
    texts = [None, "", "é", "\U0001f333", *(f"{'x' * (number % 40)}{number}" for number in range(n_texts))]
    return [[texts[place] for place in rng.integers(0, len(texts), size)] for size in (0, 1, 500, 2000)]


@pytest.mark.parametrize("n_texts", [0, 3, 700, 100_000])
def test_the_count_is_that_of_a_set(n_texts: int, tmp_path: Path) -> None:
    blocks = _blocks(np.random.default_rng(n_texts), n_texts)
    sets = [set(block) - {None} for block in blocks]

    n_distinct, repeated = count_distinct(
        (pa.chunked_array([pa.array(block, pa.string())]) for block in blocks), tmp_path
    )

    assert n_distinct == len(set().union(*sets))
    assert set(repeated.to_pylist()) == {text for own in sets for text in own if sum(text in each for each in sets) > 1}
    assert list(tmp_path.iterdir()) == []


def test_the_first_repeat_is_named_with_its_rows() -> None:
    blocks = [pa.chunked_array([["a", "b", "c"]]), pa.chunked_array([["d", "c", "a"]])]

    assert first_repeat(blocks, pa.array(["a", "c"])) == ("c", 2, 4)
