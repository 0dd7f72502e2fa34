"""Give names to explainers, and read what names mean."""

from functools import partial

import structlog

from schemas.explainer_names import ExplainerName, ExplainerNameRequest
from schemas.models import Model
from storage.errors import Conflict
from storage.explainer_names import Change

from ..app_context import AppContext
from ..callers import CURRENT_KEY
from .deletion import with_reserve
from .preconditions import Precondition

_LOG = structlog.get_logger(__name__)


def put_explainer_name(
    context: AppContext, name: str, request: ExplainerNameRequest, precondition: Precondition
) -> tuple[ExplainerName, bool]:
    """Let a name mean an explainer: in this process at once, in others within two seconds.

    Returns
    -------
    tuple
        The name as it is now, and whether it is new. What it means already is not changed again.

    Raises
    ------
    NotFound
        If there is no such explainer.
    PreconditionFailed
        If the name is in another state than the caller expects.
    Conflict
        If the model's features or classes are not those that callers of the name are used to.
    """
    while True:
        present = context.explainer_names.find(name)
        explainer = context.explainers.get(request.explainer)
        # Before the precondition: it may be the same request, sent again as its answer was lost (RFC 9110, 13.1.1).
        if present is not None and present.explainer == explainer.id:
            return present, False
        _check(precondition, name, present)
        if present is not None and not request.force:
            _refuse_another_form(context, name, present.explainer, explainer.model)
        change = Change(name, explainer.id, request.force)
        changed = context.explainer_names.point(change, present, CURRENT_KEY.get())
        if changed is not None:  # otherwise another request was faster, and counts as the present state
            break
    _LOG.info("explainer_name_put", name=name, explainer=explainer.id, key_id=CURRENT_KEY.get())
    context.directory.renew()
    return changed, present is None


def delete_explainer_name(context: AppContext, name: str, precondition: Precondition) -> None:
    """Delete a name: in this process at once, in others within two seconds; its history and its explainer stay."""
    is_deleted = False
    while not is_deleted:
        present = context.explainer_names.get(name)
        _check(precondition, name, present)
        is_deleted = with_reserve(context, partial(context.explainer_names.delete, present, CURRENT_KEY.get()))
    _LOG.info("explainer_name_deleted", name=name, key_id=CURRENT_KEY.get())
    context.directory.renew()


def _check(precondition: Precondition, name: str, present: ExplainerName | None) -> None:
    """Raise ``PreconditionFailed`` where the name is in another state than the caller expects."""
    if present is None:
        precondition.check(None, missing=f"there is no name {name!r}; leave If-Match out to make it")
        return
    precondition.check(
        present.last_change,
        exists=f"there is a name {name!r} already, for explainer {present.explainer!r}",
        changed=f"{name!r} was changed meanwhile, by change {present.last_change!r}: read it again",
    )


def _refuse_another_form(context: AppContext, name: str, explainer_id: str, model_id: str) -> None:
    """Refuse a model whose rows or classes differ from those of the explainer that a name means."""
    known_id = context.explainers.get(explainer_id).model
    if known_id == model_id:
        return
    known, other = (context.models.get(each).view for each in (known_id, model_id))
    difference = _difference(known, other)
    if difference is not None:
        detail = f"callers of {name!r} would notice: {difference}; send `force` if they are prepared for that"
        raise Conflict("conflict", detail)


def _difference(known: Model, other: Model) -> str | None:
    """Return in words how the rows or the answers of two models differ, if they do."""
    if known.task != other.task:
        return f"model {other.id!r} is a {other.task}, {known.id!r} a {known.task}"
    pairs = (("feature", known.feature_names, other.feature_names), ("class", known.classes, other.classes))
    for what, names, others in pairs:
        if names != others:
            return _first_difference(what, names, others)
    for name, kind, another in zip(known.feature_names, known.feature_types, other.feature_types, strict=True):
        if kind != another:
            return f"feature {name!r} is a {another}, and was a {kind}"
    return None


def _first_difference(what: str, names: list[str], others: list[str]) -> str:
    if missing := [name for name in names if name not in set(others)]:
        return f"the {what} {missing[0]!r} is gone"
    if added := [name for name in others if name not in set(names)]:
        return f"the {what} {added[0]!r} is new"
    position = next(index for index, (name, other) in enumerate(zip(names, others, strict=True)) if name != other)
    return f"the {what} {names[position]!r} is at another place"
