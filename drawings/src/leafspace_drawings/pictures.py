"""Pictures: which answers of the API have a drawing, registered beside the function that draws them.

A module declares its picture with ``@picture(…)`` above its ``draw_`` function. Whatever shows answers finds it by the
answer's ``object``: the views and files of the service, and the notebook outputs of the SDK. Where the page shows a
thing follows from the beginning of its id.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, TypeVar

from .classes import with_adverse
from .links import Links

Json = Mapping[str, Any]
Draw = TypeVar("Draw", bound=Callable[..., str])


@dataclass(frozen=True, slots=True)
class Picture:
    """How one kind of answers is drawn, and where the page shows it."""

    kind: str  # the answer's ``object``
    draw: Callable[..., str]  # of a ready answer and its context
    ids: str = ""  # how ids of these things begin, such as ``map_``
    part: str = ""  # the first part of addresses of their views in the page; empty: the page has no view of them
    words: str = ""  # what links to them say
    context: Callable[..., Any] | None = None  # made of what stands beside the answer; None: the answer is not enough
    is_made_of_rows: bool = False  # of a model and the rows of a dataset, which the context takes
    brief: Json = field(default_factory=dict)  # for the context of a picture that shall be small
    smaller: Json | None = None  # for that of the smallest, where there is one

    def beside(self, model: Json | None = None, dataset: Json | None = None, **options: Any) -> Any:  # a context
        """Return what stands beside an answer, as ``draw`` takes it; the model and the dataset may be unknown."""
        assert self.context is not None  # pictures without it are drawn by functions of their own
        sources = {"model": model, "dataset": with_adverse(dataset, model)} if self.is_made_of_rows else {}
        return self.context(**sources, **options)


_PICTURES: dict[str, Picture] = {}


def picture(kind: str, **declared: Any) -> Callable[[Draw], Draw]:
    """Return the decorator that registers how a kind of answers is drawn; ``declared`` are fields of ``Picture``."""

    def register(draw: Draw) -> Draw:
        _PICTURES[kind] = Picture(kind, draw, **declared)
        return draw

    return register


def pictures() -> Mapping[str, Picture]:
    """Return the pictures of all modules of this package, by the ``object`` of the answers."""
    package = import_module(__package__)
    for module in iter_modules(package.__path__, f"{__package__}."):
        import_module(module.name)
    return _PICTURES


def picture_of_id(thing_id: str) -> Picture | None:
    """Return the picture of the things whose ids begin as this one does, if they have one."""
    beginning = f"{thing_id.partition('_')[0]}_"
    return next((each for each in pictures().values() if each.ids == beginning), None)


def address_of(thing_id: str, links: Links) -> str | None:
    """Return the address of a thing's view in the page; None where there is no view of it, or no link."""
    shown = picture_of_id(thing_id)
    return links.to(shown.part, thing_id) if shown is not None and shown.part else None


def words_of(thing_id: str) -> str:
    """Return what links to a thing say."""
    shown = picture_of_id(thing_id)
    return "" if shown is None else shown.words
