"""Missing texts: what imputers have to know of them before they are converted."""

from collections.abc import Iterator
from typing import Any

from sklearn.impute import SimpleImputer


def read_missing_texts(estimator: Any) -> None:  # noqa: ANN401  # an estimator
    """Change imputers of texts in place: a tensor of texts has no not-a-number, there missing is an empty text."""
    for step in _steps(estimator):
        if isinstance(step, SimpleImputer) and step.statistics_.dtype.kind in "OUS":
            if not isinstance(step.missing_values, str):
                step.missing_values = ""
            step.statistics_ = step.statistics_.astype(object)


def _steps(estimator: Any) -> Iterator[Any]:  # noqa: ANN401  # an estimator, its steps
    if hasattr(estimator, "steps"):
        for _name, step in estimator.steps:
            yield from _steps(step)
    elif hasattr(estimator, "transformers_"):
        for _name, transformer, _columns in estimator.transformers_:
            yield from _steps(transformer)
    else:
        yield estimator
