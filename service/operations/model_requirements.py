"""What needs leaves is refused of models that have none: those that were registered as oracles only.

Which requests these are follows from the declarations of nouns: everything that is made from a model, or read below
one, unless its noun says that it is made or read without leaves.
"""

from typing import Any

from schemas.contract import Contract
from schemas.models import Model, ModelSummary
from schemas.noun import Noun
from storage.errors import StorageError

from ..app_context import AppContext


def require_leaves(context: AppContext, noun: Noun[Any], request: Contract) -> None:
    """Refuse a request for something made from the leaves of a model that has none.

    Raises
    ------
    StorageError
        ``model_without_leaves``, naming the field that must change.
    """
    if not noun.needs_leaves(request):
        return
    for name in (name for name, of in noun.made_from.items() if of == "models"):
        model_id = getattr(request, name)
        if model_id is not None:
            refuse_without_leaves(context.models.summary(model_id), _words(noun, request), f"/{name}")


def _words(noun: Noun[Any], request: Contract) -> str:
    """Return what needs leaves: the noun, by the method that does, where others do not."""
    without = noun.made_without_leaves or {}
    some = [
        f"{name} `{getattr(request, name)}`" for name, values in without.items() if getattr(request, name) not in values
    ]
    return f"{noun.words} by {some[0]}" if some else noun.words


def refuse_without_leaves(model: Model | ModelSummary, what: str, pointer: str | None = None) -> None:
    """Raise ``model_without_leaves`` for an oracle; ``what`` is what needs leaves."""
    if model.oracle_only:
        detail = (
            f"{what.replace('_', ' ')} need leaves, and model {model.id!r} has none: it was registered with "
            "`oracle_only`; approximation trees can be made of it, by `sta`, `born_again` or `cart`"
        )
        raise StorageError("model_without_leaves", detail, pointer)
