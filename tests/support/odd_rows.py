"""Rows that try what explanations do with odd cells: missing, boolean, far too large, of unknown categories."""

import numpy as np
import pandas as pd

from .api import frame_of
from .models import fitted
from .pipelines import PIPELINES, fitted_pipeline

Odd = tuple[bytes, pd.DataFrame, pd.DataFrame]
"""A model as ONNX, its rows with their target ``t``, and rows to explain, whose ids are in ``id``."""


def model_with_odd_rows(name: str, n_rows: int = 60) -> Odd:
    """Return a fitted model or pipeline by its name, with ``n_rows`` rows to explain, of which it refuses some."""
    return _pipeline(name, n_rows) if name in PIPELINES else _matrix(name, n_rows)


def _matrix(name: str, n_rows: int) -> Odd:
    """Rows with missing, whole, boolean and far too large numbers among them."""
    model = fitted(name)
    frame = frame_of(model)
    rows = frame.drop(columns="t").head(n_rows).copy()
    rows.loc[[3, 50], "f1"] = np.nan
    rows.loc[[7, 8, n_rows - 1], "f0"] = 3.5e38
    rows["f2"] = rows["f2"] > rows["f2"].median()
    rows["f3"] = rows["f3"].round()
    rows.insert(0, "id", [f'row "{row}", é' for row in range(len(rows))])
    return model.onnx, frame, rows


def _pipeline(name: str, n_rows: int) -> Odd:
    """Rows with unknown categories and far too large numbers among them."""
    table = PIPELINES[name]()[1]
    frame = table.features.assign(t=table.target)
    rows = table.features.head(n_rows).copy()
    texts = [column for column in rows.columns if rows[column].dtype == object]
    numbers = [column for column in rows.columns if rows[column].dtype.kind == "f"]
    for column in texts:
        rows.loc[[5, n_rows - 1], column] = 'never "seen"'
    rows = rows.astype(dict.fromkeys(numbers, np.float64))
    for column in numbers:
        rows.loc[[0, 37, 38], column] = -1e300
    rows.insert(0, "id", [f"{row},{row}" for row in range(len(rows))])
    return fitted_pipeline(name).onnx, frame, rows
