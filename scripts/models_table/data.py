"""Small tables on which cases are fitted: 60 rows, numbers of single precision, targets that trees can find."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from .cases import Data

N_ROWS = 60


def _numbers(seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(N_ROWS, 4)).round(3)
    return pd.DataFrame(values.astype(np.float32).astype(np.float64), columns=["age", "fare", "size", "rate"])


def _signal(rows: pd.DataFrame) -> Any:  # an array
    noise = np.random.default_rng(1).normal(scale=0.3, size=len(rows))
    return rows["age"].to_numpy() - 0.6 * rows["fare"].to_numpy() * (rows["size"].to_numpy() > 0) + noise


def binary() -> Data:
    """Return two classes, 0 and 1."""
    rows = _numbers()
    return Data(rows, (_signal(rows) > 0).astype(int))


def multiclass() -> Data:
    """Return three classes, 0 to 2."""
    rows = _numbers()
    return Data(rows, np.digitize(_signal(rows), [-0.5, 0.5]))


def values() -> Data:
    """Return values of a regression, of both signs."""
    rows = _numbers()
    return Data(rows, _signal(rows).round(3))


def counts() -> Data:
    """Return whole numbers from 1."""
    rows = _numbers()
    return Data(rows, 1 + np.floor(np.exp(np.clip(_signal(rows), -3, 3))))


def shares() -> Data:
    """Return values between 0 and 1."""
    rows = _numbers()
    return Data(rows, 1 / (1 + np.exp(-_signal(rows))))


def holes() -> Data:
    """Return two classes; a tenth of the numbers are missing."""
    rows = _numbers()
    return Data(rows.mask(np.random.default_rng(2).random(rows.shape) < 0.1), (_signal(rows) > 0).astype(int))


def array() -> Data:
    """Return two classes, rows as an array."""
    data = binary()
    return Data(data.rows.to_numpy(), data.target)


def imbalanced() -> Data:
    """Return two classes of which one is rare."""
    rows = _numbers()
    return Data(rows, (_signal(rows) > 1).astype(int))  # some 15 of 60


def titanic() -> Data:
    """Return a table as people have it: numbers with holes, whole numbers, texts with holes, booleans."""
    rng, rows = np.random.default_rng(3), _numbers()
    sex = rng.choice(["male", "female"], N_ROWS)
    frame = pd.DataFrame(
        {
            "age": (30 + 10 * rows["age"]).round(1).astype(np.float32).astype(np.float64),
            "fare": rows["fare"].mask(rng.random(N_ROWS) < 0.2),
            "parch": rng.integers(0, 4, N_ROWS),
            "sex": sex,
            "port": pd.Series(rng.choice(["S", "C", "Q"], N_ROWS), dtype=object).mask(rng.random(N_ROWS) < 0.1, None),
            "alone": rng.random(N_ROWS) < 0.5,  # a coin
        }
    )
    survived = (sex == "female") ^ (rng.random(N_ROWS) < 0.2)  # noise
    return Data(frame, survived.astype(int))


def categories() -> Data:
    """Return categories of pandas with texts, some missing, beside numbers."""
    data = titanic()
    frame = data.rows.drop(columns=["alone"])
    return Data(frame.astype({"sex": "category", "port": "category"}), data.target)


def number_categories() -> Data:
    """Return a category of pandas whose values are whole numbers."""
    rng, rows = np.random.default_rng(4), _numbers()
    ward = rng.choice([10, 20, 30, 40], N_ROWS)
    return Data(rows.assign(ward=pd.Categorical(ward)), ((ward > 20) ^ (rows["age"].to_numpy() > 1)).astype(int))


def changes() -> Data:
    """Return changes: whole numbers around 0, and whether one is negative."""
    change = np.random.default_rng(5).integers(-2, 3, N_ROWS)
    return Data(pd.DataFrame({"change": change.astype(float)}), (change < 0).astype(int))


def ties() -> Data:
    """Return a column of 0 and 1 that says nothing of labels 0 and 1."""
    return Data(pd.DataFrame({"flag": np.repeat([0.0, 1.0], N_ROWS // 2)}), np.arange(N_ROWS) % 2)


def constant() -> Data:
    """Return a target that is one value."""
    return Data(_numbers(), np.full(N_ROWS, 2.5))


def one_class() -> Data:
    """Return labels that are all alike."""
    return Data(_numbers(), np.zeros(N_ROWS, int))


def one_feature() -> Data:
    """Return rows of one column."""
    data = binary()
    return Data(data.rows[["age"]], data.target)


def infinite() -> Data:
    """Return two classes; two cells are infinite."""
    data = binary()
    rows = data.rows.copy()
    rows.iloc[0, 0], rows.iloc[1, 1] = np.inf, -np.inf
    return Data(rows, data.target)


def infinite_values() -> Data:
    """Return a value that depends on many infinite cells of both signs, and on missing ones beside them."""
    data, rng = binary(), np.random.default_rng(8)
    rows = with_infinite_cells(data.rows)
    rows = rows.mask(rng.random(rows.shape) < 0.1)  # of the cells
    return Data(rows, rows.fillna(0.5).clip(-3, 3).to_numpy().sum(axis=1))


def with_infinite_cells(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with infinity in place of a number above 1, and its negative below -1."""
    numbers = rows.astype(float)
    return numbers.mask(numbers > 1, np.inf).mask(numbers < -1, -np.inf)


def texts() -> Data:
    """Return one column of sentences."""
    words = np.random.default_rng(6).choice(["good", "bad", "film", "plot", "very"], (N_ROWS, 4))
    sentences = [" ".join(row) for row in words]
    return Data(pd.DataFrame({"review": sentences}), np.array(["good" in each for each in sentences], int))


def two_targets() -> Data:
    """Return two values to predict at once."""
    rows = _numbers()
    return Data(rows, np.column_stack([_signal(rows), rows["rate"]]))


def wide() -> Data:
    """Return six hundred features."""
    values = np.random.default_rng(7).normal(size=(N_ROWS, 600))
    return Data(pd.DataFrame(values, columns=[f"f{at}" for at in range(600)]), (values[:, 0] > 0).astype(int))


def many_classes() -> Data:
    """Return three hundred classes, a row each at least."""
    n_classes = 300
    return Data(pd.DataFrame({"a": np.arange(2.0 * n_classes)}), np.arange(2 * n_classes) // 2)


TABLES: dict[str, Callable[[], Data]] = {
    kind.__name__: cache(kind)
    for kind in (
        *(binary, multiclass, values, counts, shares, holes, array, imbalanced, titanic, categories),
        *(
            number_categories,
            changes,
            ties,
            constant,
            one_class,
            one_feature,
            infinite,
            infinite_values,
            texts,
            two_targets,
            wide,
        ),
        many_classes,
    )
}
