"""Warnings that the graph alone gives rise to: what limits explanations of the model, in sentences."""

from collections.abc import Sequence

import numpy as np

from ..ensemble import Operator, TreeEnsemble
from .description import ModelColumn, ModelWarning

_SHOWN_COLUMNS, _LONGEST_NAME = 10, 200  # in a warning


def of_unused_ensembles(n_unused: int) -> tuple[ModelWarning, ...]:
    """Return a warning of tree operators that do not lead to the predictions, and are left out."""
    if not n_unused:
        return ()
    subject = "1 ensemble of trees does" if n_unused == 1 else f"{n_unused:,} ensembles of trees do"
    detail = (
        f"{subject} not lead to the model's predictions; explanations leave {'it' if n_unused == 1 else 'them'} out."
    )
    return (ModelWarning("unused_ensembles", detail),)


def of_transformed_columns(ensemble: TreeEnsemble, columns: Sequence[ModelColumn]) -> tuple[ModelWarning, ...]:
    """Return a warning of tested columns that cannot be mapped back to raw features."""
    tested = np.unique(ensemble.column[ensemble.operator != Operator.LEAF]).tolist()
    names = list(dict.fromkeys(columns[index].name for index in tested if columns[index].transformed))
    if not names:
        return ()
    n_columns = sum(columns[index].transformed for index in tested)
    shown = "; ".join(name[:_LONGEST_NAME] for name in names[:_SHOWN_COLUMNS])
    detail = (
        f"{n_columns:,} of the {len(tested):,} columns that the trees test cannot be mapped back to a raw feature, so "
        f"that reasons are about these columns, and not about what you send: {shown}"
        f"{'; …' if len(names) > _SHOWN_COLUMNS else ''}"
    )
    return (ModelWarning("transformed_features", detail),)
