"""The project's own files, as tests of its architecture read them."""

import ast
import functools
import gc
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = (
    "observability",
    "sandbox",
    "schemas",
    "tree_explainers",
    "storage",
    "explanations",
    "service",
    "workers",
    "leafspace",
)


@functools.cache
def own_files() -> tuple[Path, ...]:
    """Return the files of the repository that git does not ignore; all files where there is no git."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard"],  # noqa: S607  # the caller's own git
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        listed = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if ".venv" not in path.parts]
    return tuple(ROOT / name for name in listed if (ROOT / name).is_file())


def python_files(*folders: str) -> list[Path]:
    """Return the Python files below these folders; of the whole repository where none is named."""
    files = [path for path in own_files() if path.suffix == ".py"]
    return [path for path in files if not folders or path.relative_to(ROOT).parts[0] in folders]


@functools.cache
def tree_of(path: Path) -> ast.Module:
    """Return a file's syntax tree; to look for garbage among its nodes would take longer than to parse it."""
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    finally:
        if is_collecting:
            gc.enable()


@functools.cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of a file's syntax tree: to walk through it takes as long as to parse it."""
    return tuple(ast.walk(tree_of(path)))


@functools.cache
def imports_of(path: Path) -> tuple[str, ...]:
    """Return the absolute modules that a file imports, at its top or inside functions."""
    found: list[str] = []
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            found += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module is not None:
            found.append(node.module)
    return tuple(found)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
