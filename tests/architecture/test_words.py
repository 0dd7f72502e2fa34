"""The project speaks plain English and the field's terms (`docs/glossary.md`), not a dialect of its own.

A first version said "told" for rendered, "asked" for requested or split on, "stands for" for represents, and so on. The
words below fail in names of the packages and the SDK, in the contract, and in the documents. Where one of them is the
right word, the lists of what is allowed say so, each with its reason.
"""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.sources import PACKAGES, ROOT, name_of, nodes_of, own_files, python_files

# What each word is replaced by depends on the sentence; these are the usual choices.
_PLAIN_WORDS = {
    "told|tells?|telling": "render, report, print, predict; distinguish",
    "asks?|asked|asking": "request, require; split, test (of a tree)",
    "judge|judges|judged|judging": "evaluate",
    "says?_of|said_of": "predict for, state about",
    "stands?_for|stood_for": "represent, approximate",
    "led_back|leads?_back": "mapped back",
    "anew|once_more": "again",
    "whoever": "callers, the caller",
    "heard|unheard": "received, take effect",
    "so_many|as_many_as_may": "the number of, at most",
    "what_they_are": "their kind, their values",
    "sharing_out|is_to_be_had|made_up_for": "E-step; is available; compensated",
}
_IN_NAMES = re.compile(rf"(?:^|_)({'|'.join(_PLAIN_WORDS)})(?=_|$)")
_IN_PROSE = re.compile(rf"\b({'|'.join(_PLAIN_WORDS).replace('_', '[ _]')})\b", re.IGNORECASE)

# What a contrast says: trees tell two rows apart by what they ask, which people read more easily than of splits.
_OF_CONTRASTS = re.compile(r"\b(ask most often|tells? (them|the two) apart)\b")

_ALLOWED_NAMES: dict[str, str] = {
    "tell": "what Python calls the place in a file",
    "n_asked": "a field of the API: how many questions of a questionnaire came before",
}
_ALLOWED_IN_CONTRACT: dict[str, str] = {
    "/components/schemas/NextQuestion/properties/n_asked/title": "the title of that field",
    "/components/schemas/Question/description": "to be reworded: the feature that comes next",
}
_ALLOWED_IN_DOCUMENTS: dict[str, str] = {}


def _words_of(name: str) -> str:
    """Return a name in lower case with an underscore between its words, whatever its case was."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _is_plain(name: str) -> bool:
    return name in _ALLOWED_NAMES or not _IN_NAMES.search(_words_of(name))


def _sdk_files() -> Iterator[Path]:
    for path in python_files("clients"):
        if "src" in path.parts:
            yield path


def _names_defined_in(path: Path) -> Iterator[str]:
    """Yield the names of a module and of all functions, classes, parameters, variables and attributes in it."""
    yield path.stem
    yield path.parent.name
    for node in nodes_of(path):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, ast.alias) and node.asname:
            yield node.asname


def test_names_are_plain_english() -> None:
    files = [*python_files(*PACKAGES), *_sdk_files()]
    assert len(files) > 200

    found = {(name_of(path), name) for path in files for name in _names_defined_in(path) if not _is_plain(name)}

    assert found == set()


def _texts_of(value: object, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Yield the titles, summaries and descriptions of the contract, each with the place where it stands."""
    if isinstance(value, dict):
        for key, below in value.items():
            if key in {"title", "summary", "description"} and isinstance(below, str):
                yield f"{pointer}/{key}", below
            yield from _texts_of(below, f"{pointer}/{key}")
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from _texts_of(below, f"{pointer}/{index}")


def test_the_contract_is_plain_english() -> None:
    texts = list(_texts_of(json.loads((ROOT / "openapi.json").read_text(encoding="utf-8"))))
    assert len(texts) > 500

    dialect = [(pointer, text) for pointer, text in texts if _IN_PROSE.search(_OF_CONTRASTS.sub("", text))]
    found = {pointer: text for pointer, text in dialect if pointer not in _ALLOWED_IN_CONTRACT}

    assert found == {}


def _documents() -> list[Path]:
    """Return the pages that readers start from; the changelog keeps what was written at the time."""
    pages = [path for path in own_files() if path.suffix == ".md" and path.is_relative_to(ROOT / "docs")]
    return [*pages, *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "clients/python/README.md"))]


@pytest.mark.parametrize("path", _documents(), ids=name_of)
def test_documents_are_plain_english(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()

    found = {
        (number, match.group())
        for number, line in enumerate(lines, 1)
        for match in _IN_PROSE.finditer(_OF_CONTRASTS.sub("", line))
        if line.strip() not in _ALLOWED_IN_DOCUMENTS
    }

    assert found == set()


def test_words_are_recognised_in_names_of_every_case() -> None:
    assert not _is_plain("RowAsked")
    assert not _is_plain("_SECONDS_UNHEARD")
    assert not _is_plain("columns_led_back")
    assert _is_plain("next_question")
    assert _is_plain("task")
    assert _IN_PROSE.search("Whoever asks is told.")
    assert not _IN_PROSE.search("The caller's `task` is retold.")
