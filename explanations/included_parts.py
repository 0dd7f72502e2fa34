"""What explanations have, of what a request wants and the explainer has."""

from collections.abc import Collection, Iterable
from typing import NamedTuple, cast

from schemas.explanation_parts import PART_OF, PARTS
from schemas.explanation_sets import ExplanationParts, NearestRowsOptions
from schemas.models import Model
from storage.errors import StorageError

from .change_options import ChangesOptions, changes_options
from .effects import EffectsQuestion
from .nearest_rows import RowSearch
from .training_rows import refuse_training_rows
from .warm_explainer import WarmExplainer

_PARTS = "parts"  # where an explainer has those of requests without options
_DEFAULT = frozenset(part.name for part in PARTS if part.is_default)
_COSTLY = frozenset(part.name for part in PARTS if part.is_costly)

WITHOUT_OPTIONS = frozenset({"instances", "dataset", "row_ids"})
"""Fields of requests that say which rows are explained, and nothing of what explanations have."""

MAX_STEPS = 50
"""Steps of a curve, so that a picture of it shows each."""

MAX_CURVES = 40
"""Curves of a row: those of more features have hardly any steps."""


class Parts(NamedTuple):
    """What explanations have, of what a request wants and the explainer has."""

    n_prototypes: int
    n_reasons: int | None  # None: all
    n_contrasts: int
    included: frozenset[str]
    is_full: bool
    search: RowSearch | None  # of the reference rows; None: they are not included
    changes: ChangesOptions | None = None  # None: they are not included
    effects: EffectsQuestion | None = None  # None: the model's scores are no sums over its trees


def parts_of(warm: WarmExplainer, request: ExplanationParts) -> Parts:
    """Return what explanations have; refuse to include what the explainer does not have."""
    if not request.model_fields_set <= WITHOUT_OPTIONS:
        return _parts_of(warm, request)
    if (parts := warm.known.get(_PARTS)) is None:
        parts = warm.known[_PARTS] = _parts_of(warm, request)
    return cast("Parts", parts)


def _parts_of(warm: WarmExplainer, request: ExplanationParts) -> Parts:
    has = {"rule_set": warm.rules, "approximation_tree": warm.tree, "nearest_rows": warm.reference}
    lacks = {name for name, value in has.items() if value is None}
    if request.detail == "full":
        everything = {part.name for part in PARTS if part.needs not in lacks and not part.is_costly}
        included, n_reasons = frozenset(everything.union(_COSTLY.intersection(request.include))), None
    else:
        refuse_to_include(request.include, lacks, warm.explainer_id)
        included = _DEFAULT.union(request.include)
        n_reasons = None if request.n_reasons == "all" else request.n_reasons
    search, changes = _search(warm, request, included), changes_options(request, warm.model)
    if "evidence" in included:
        refuse_evidence(request, warm.model)
        if warm.evidence is None or not warm.evidence.has_targets:
            detail = (
                "evidence is of true classes, and none are known of the reference rows; register the dataset with its "
                "target, and make a prototype set of it"
            )
            raise StorageError("validation_failed", detail, f"/include/{request.include.index('evidence')}")
    _refuse_other_rows(warm, request)
    n_contrasts, is_full = request.n_contrasts, request.detail == "full"
    return Parts(
        request.n_prototypes,
        n_reasons,
        n_contrasts,
        included,
        is_full,
        search,
        changes,
        _effects_question(warm, request),
    )


def _effects_question(warm: WarmExplainer, request: ExplanationParts) -> EffectsQuestion | None:
    if warm.effects is not None:
        # An outcome that changes aim at and effects do not know was refused before.
        return warm.effects.question(request.reference, request.outcome)
    if request.reference is not None:
        detail = "the model's scores are no sums over its trees, so explanations have no effects; leave reference out"
        raise StorageError("validation_failed", detail, "/reference")
    return None


def _refuse_other_rows(warm: WarmExplainer, request: ExplanationParts) -> None:
    """Refuse training rows where the reference rows are not what the prediction is a mean of."""
    refuse_training_rows(request.include, warm.model)
    if "training_rows" in request.include and warm.training_rows is not None:
        refusal = warm.training_rows.refusal()
        if refusal is not None:
            raise StorageError("validation_failed", refusal, f"/include/{request.include.index('training_rows')}")


def refuse_evidence(request: ExplanationParts, model: Model) -> None:
    """Refuse to include evidence of a regression, which has no classes."""
    if "evidence" in request.include and not model.classes:
        detail = "evidence is of true classes, and the model is a regression, which has none; leave evidence out"
        raise StorageError("validation_failed", detail, f"/include/{request.include.index('evidence')}")


def _search(warm: WarmExplainer, request: ExplanationParts, included: frozenset[str]) -> RowSearch | None:
    if "nearest_rows" not in included or warm.reference is None:
        if request.nearest_rows is not None:
            detail = "nearest_rows says which rows to list; name nearest_rows in include, too, or leave it out"
            raise StorageError("validation_failed", detail, "/nearest_rows")
        return None
    return warm.reference.search(request.nearest_rows or NearestRowsOptions())


def refuse_to_include(include: Iterable[str], lacks: Collection[str], explainer_id: str) -> None:
    """Refuse to include a part that an explainer does not have.

    Parameters
    ----------
    include
        The parts that a request includes.
    lacks
        The fields that are null of this explainer, such as ``rule_set``.
    """
    for part in map(PART_OF.__getitem__, include):
        if part.needs in lacks:
            raise StorageError("validation_failed", f"explainer {explainer_id!r} has {part.lack}", "/include")


def n_values_shown(request: ExplanationParts, n_features: int) -> int:
    """Return of how many of an explainer's features an explanation shows something for each prototype, at most."""
    if request.detail == "full" or "values" in request.include or request.n_reasons == "all":
        return n_features
    return min(request.n_reasons, n_features)


def n_rows_listed(request: ExplanationParts) -> int:
    """Return how many of all reference rows an explanation lists, at most."""
    if request.detail == "full" or "nearest_rows" in request.include:
        return (request.nearest_rows or NearestRowsOptions()).n_rows
    return 0


def n_steps_listed(request: ExplanationParts, n_features: int) -> int:
    """Return how many steps of curves an explanation lists, at most."""
    return MAX_STEPS * min(MAX_CURVES, n_features) if "curves" in request.include else 0
