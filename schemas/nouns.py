"""Nouns: everything that the API keeps or computes. To add a kind of artefact, write ``schemas/<noun>.py``.

Each module of messages declares its ``Noun``, and this one collects them. Derived from them are: prefixes of ids
(``identifiers``), scopes of routes and routers (``service``), functions of jobs (``workers/job_kinds.py``), what
protects an artefact from deletion (``storage``), the tags of the contract, and every test "for every noun". A piece
that is missing stops the import with a sentence that names it.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from .noun import Noun

_WITHOUT_NOUNS = ("identifiers", "nouns")  # they are made from the nouns


class Nouns(Mapping[str, Noun[Any]]):
    """Nouns by name, in the order of the contract; each name and each prefix belongs to one."""

    def __init__(self, *nouns: Noun[Any]) -> None:
        self._by_name = {noun.name: noun for noun in sorted(nouns, key=lambda noun: noun.position)}
        prefixes = [noun.id_prefix for noun in nouns if noun.id_prefix]
        if len(self._by_name) < len(nouns) or len(set(prefixes)) < len(prefixes):
            detail = "two nouns have the same name or the same prefix of ids"
            raise LookupError(detail)
        for noun in nouns:
            if unknown := set(noun.made_from.values()) - set(self._by_name):
                detail = f"{noun.name} refer to {min(unknown)!r}, which no module of schemas declares"
                raise LookupError(detail)

    def __getitem__(self, name: str) -> Noun[Any]:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    @property
    def made_by_jobs(self) -> tuple[Noun[Any], ...]:
        """Nouns that jobs make: artefacts."""
        return tuple(noun for noun in self.values() if noun.is_made_by_job)

    @property
    def kinds_of_jobs(self) -> tuple[Noun[Any], ...]:
        """Nouns that jobs make, artefacts or not."""
        return tuple(noun for noun in self.values() if noun.is_made_by_job or noun.has_jobs)

    @property
    def stored(self) -> tuple[Noun[Any], ...]:
        """Nouns whose things can be listed and read again."""
        return tuple(noun for noun in self.values() if noun.is_stored)


def _declared() -> Iterator[Noun[Any]]:
    """Yield the nouns that the modules of this package declare."""
    package = import_module(__package__)
    for module in iter_modules(package.__path__):
        if module.name not in _WITHOUT_NOUNS:
            content = vars(import_module(f".{module.name}", __package__))
            yield from (value for value in content.values() if isinstance(value, Noun))


NOUNS = Nouns(*_declared())
