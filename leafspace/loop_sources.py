"""Caches of compiled loops for another state of the code: what has not changed need not be compiled again.

A loop is compiled from its own file and from those of which functions or constants were compiled into it: these are
among the modules that its module imports, and that they import. Where all these files are as they were, its compiled
forms are copied from the cache of the state before.

A process that uses a cache holds a shared lock on its folder until it ends. Of caches that none uses, those that were
used last are kept, and the others are deleted.
"""

import fcntl
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
_KEPT = 8  # caches, of some 20 MB each, besides those in use
_IMPORT = re.compile(r"^\s*from (\.+)([\w.]*) import (\([^)]*\)|[^(\n]+)", re.MULTILINE)

_in_use: list[int] = []  # descriptors of this process's caches, which hold their locks


def begin_cache(folder: Path, sources: Path = _SOURCES) -> None:
    """Use the cache of this state of the code until this process ends.

    If there is none, it is made, with what the newest ones beside it have for it, and old ones that no process uses
    are deleted.
    """
    for _ in range(2):  # once more where another process has just deleted it
        if _lock_to_use(folder):
            return
        _make_cache(folder, sources)
        delete_old_caches(folder.parent)
    _lock_to_use(folder)


def delete_old_caches(caches: Path) -> None:
    """Delete the caches in a folder that no process uses, but for those that were used last."""
    newest_first = sorted((path.parent for path in caches.glob(f"[!.]*/{_KNOWN}")), key=_last_use, reverse=True)
    for cache in newest_first[_KEPT:]:
        with suppress(OSError):  # another process uses it, or has deleted it
            descriptor = os.open(cache, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(cache)
            finally:
                os.close(descriptor)


def _last_use(cache: Path) -> float:
    try:
        return cache.stat().st_mtime
    except OSError:  # another process has deleted it
        return 0.0


def _lock_to_use(folder: Path) -> bool:
    """Hold a shared lock on a cache until this process ends; return whether it is there."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return False
    _in_use.append(descriptor)
    with suppress(OSError):  # a file system without locks, or another user's folder
        fcntl.flock(descriptor, fcntl.LOCK_SH)  # waits for a process that is deleting it
        os.utime(folder)
    return folder.exists()


def _make_cache(folder: Path, sources: Path) -> None:
    """Make a cache with what the newest ones beside it have for it."""
    with suppress(OSError):  # nobody can write there; or another process was faster
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = Path(mkdtemp(prefix=".", dir=folder.parent))
        try:
            hashes = source_hashes(sources)
            caches = sorted((path.parent for path in folder.parent.glob(f"[!.]*/{_KNOWN}")), key=_last_use)
            for before in caches[-_NEWEST:]:
                _copy_unchanged(before, new, hashes, sources.name)
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
    known: dict[str, str] = {}
    with suppress(ValueError):  # cut off, as where a machine lost its power
        known = json.loads((before / _KNOWN).read_text())
    for suffix in (".nbi", ".nbc"):
        for path in before.glob(f"*/*{suffix}"):
            module = ".".join((path.parent.name + "." + path.name.partition(".")[0]).split(".")[1:])
            if path.parent.name.split(".")[0] == package and known.get(module, "") == hashes.get(module):
                (new / path.parent.name).mkdir(mode=0o700, exist_ok=True)
                shutil.copyfile(path, new / path.parent.name / path.name)
