"""ChangesOptions: which changes of a row a request searches, and what it keeps from changing."""

from collections.abc import Mapping
from typing import NamedTuple

from schemas.explanation_sets import ExplanationParts
from schemas.models import Model
from storage.errors import StorageError
from tree_explainers.changes.feature_moves import CONSTRAINTS, Constraint
from tree_explainers.wording import did_you_mean

from .effects import unknown_outcome

_N_CHARACTERS = 80  # of a name in a message


class ChangesOptions(NamedTuple):
    """Which changes are searched."""

    outcome: str | None  # that is wished; None: the next better one, or the next class by its score
    max_features: int
    constraints: Mapping[str, Constraint]  # by raw column


def changes_options(request: ExplanationParts, model: Model) -> ChangesOptions | None:
    """Return which changes a request includes; ``None``: none.

    Raises
    ------
    StorageError
        ``validation_failed`` for an outcome or a feature that there is not, for constraints that contradict each other
        or do not fit a feature, for options of changes that are not included, and for changes of a regression without a
        decision.
    """
    if "changes" not in request.include:
        for name in CONSTRAINTS:
            if getattr(request, name):
                detail = f"{name} is an option of changes; name changes in include, too, or leave {name} out"
                raise StorageError("validation_failed", detail, f"/{name}")
        return None
    outcomes = model.outcomes
    if not outcomes:
        detail = (
            "changes aim at an outcome, and the model is a regression without any; register the model with a decision, "
            "whose bands give its values outcomes"
        )
        raise StorageError("validation_failed", detail, f"/include/{request.include.index('changes')}")
    if request.outcome is not None and request.outcome not in outcomes:
        raise unknown_outcome(request.outcome, outcomes)
    return ChangesOptions(request.outcome, request.max_changed_features, _constraints(request, model))


def _constraints(request: ExplanationParts, model: Model) -> dict[str, Constraint]:
    constraints: dict[str, Constraint] = {}
    known, without_order = set(model.feature_names), _features_without_order(model)
    for constraint in CONSTRAINTS:
        for index, name in enumerate(getattr(request, constraint)):
            pointer = f"/{constraint}/{index}"
            if name not in known:
                near = did_you_mean(name, model.feature_names)
                detail = f"{_quoted(name)} is no feature of the model; name one of the model's `feature_names`{near}"
                raise StorageError("validation_failed", detail, pointer)
            if constraints.get(name, constraint) != constraint:
                detail = (
                    f"{_quoted(name)} is in {constraints[name]}, too, and a feature has one constraint; name it in "
                    "fixed alone if it must not change at all"
                )
                raise StorageError("validation_failed", detail, pointer)
            if constraint != "fixed" and name in without_order:
                detail = (
                    f"{_quoted(name)} has categories, which have no order; name it in fixed, or leave it out of "
                    f"{constraint}"
                )
                raise StorageError("validation_failed", detail, pointer)
            constraints[name] = constraint
    return constraints


def _features_without_order(model: Model) -> set[str]:
    """Return the raw columns of categories, and those of one-hot groups, whose feature is the group."""
    types = zip(model.feature_names, model.feature_types, strict=True)
    texts = {name for name, type_ in types if type_ == "category"}
    known = set(model.feature_names)
    return texts | {each.name for each in model.column_map if each.feature is not None and each.feature not in known}


def _quoted(name: str) -> str:
    return repr(name[:_N_CHARACTERS])
