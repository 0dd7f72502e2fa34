"""How long a model takes for the rows of a call, estimated before any of them is read."""

from schemas.models import Model

# Of one processor: a row, a tree of a row, a feature of a row, a class's score of a row as JSON.
_SECONDS_PER_ROW, _SECONDS_PER_TREE, _SECONDS_PER_FEATURE, _SECONDS_PER_SCORE = 3e-5, 3e-7, 5e-8, 2e-6


def prediction_seconds(model: Model, n_rows: int) -> float:
    """Return how long a model takes to read and predict rows, in seconds of one processor.

    An oracle without trees takes as long as it took when it was registered.
    """
    seconds = _SECONDS_PER_ROW + (model.seconds_per_1000_rows or 0.0) / 1000
    seconds += _SECONDS_PER_TREE * model.n_trees + _SECONDS_PER_FEATURE * len(model.feature_names)
    return n_rows * (seconds + _SECONDS_PER_SCORE * len(model.classes or ()))
