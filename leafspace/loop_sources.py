"""Caches of compiled loops for another state of the code: what has not changed need not be compiled again.

A loop is compiled from its own file and from those of which functions or constants were compiled into it: these are
among the modules that its module imports, and that they import. Where all these files are as they were, its compiled
forms are copied from the cache of the state before.
"""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

_SOURCES = Path(__file__).parents[1] / "tree_explainers"
_KNOWN = "sources.json"  # in a cache: the hash of what each module is compiled from
_NEWEST = 4  # caches that are looked through: of one branch of the code and of others
_IMPORT = re.compile(r"^\s*from (\.+)([\w.]*) import (\([^)]*\)|[^(\n]+)", re.MULTILINE)


def begin_cache(folder: Path, sources: Path = _SOURCES) -> None:
    """Make the cache of this state of the code, unless it is there, with what the newest ones beside it have for it."""
    if folder.exists():
        return
    with suppress(OSError):  # nobody can write there; or another process was faster
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = Path(mkdtemp(prefix=".", dir=folder.parent))
        try:
            hashes = source_hashes(sources)
            caches = sorted(folder.parent.glob(f"*/{_KNOWN}"), key=lambda path: path.stat().st_mtime)
            for before in caches[-_NEWEST:]:
                _copy_unchanged(before.parent, new, hashes, sources.name)
            (new / _KNOWN).write_text(json.dumps(hashes))
            os.rename(new, folder)  # noqa: PTH104  # fails where another process has made it
        finally:
            shutil.rmtree(new, ignore_errors=True)


def source_hashes(sources: Path) -> dict[str, str]:
    """Return for each module, by its name below the package, a hash of its file and of all that it imports there."""
    texts = {path.relative_to(sources).with_suffix(""): path.read_text("utf-8") for path in sources.rglob("*.py")}
    imports = {module: _imported(module, text, texts) for module, text in texts.items()}
    return {
        ".".join(module.parts): hashlib.sha256(
            "\0".join(f"{each}\0{texts[each]}" for each in sorted(_closure(module, imports))).encode()
        ).hexdigest()
        for module in texts
    }


def _imported(module: Path, text: str, modules: Mapping[Path, str]) -> set[Path]:
    """Return the modules that one imports: of `from .a import b`, both `a` and `a/b` may be one."""
    found = set()
    for dots, name, names in _IMPORT.findall(text):
        folder = module.parents[len(dots) - 1] / name.replace(".", "/") if len(dots) <= len(module.parents) else module
        found |= {folder, folder / "__init__", *(folder / each for each in re.findall(r"\w+", names))}
    return found & modules.keys()


def _closure(module: Path, imports: Mapping[Path, set[Path]]) -> set[Path]:
    reached, waiting = {module}, [module]
    while waiting:
        fresh = imports[waiting.pop()] - reached
        reached |= fresh
        waiting += fresh
    return reached


def _copy_unchanged(before: Path, new: Path, hashes: Mapping[str, str], package: str) -> None:
    """Copy the compiled forms of modules whose sources are the same; indices first: they name what is there already."""
    known = json.loads((before / _KNOWN).read_text())
    for suffix in (".nbi", ".nbc"):
        for path in before.glob(f"*/*{suffix}"):
            module = ".".join((path.parent.name + "." + path.name.partition(".")[0]).split(".")[1:])
            if path.parent.name.split(".")[0] == package and known.get(module, "") == hashes.get(module):
                (new / path.parent.name).mkdir(mode=0o700, exist_ok=True)
                shutil.copyfile(path, new / path.parent.name / path.name)
