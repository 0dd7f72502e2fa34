"""Distributions of the committed files: archives of sources, and wheels that are built from these archives alone."""

import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
_PROJECTS = {"leafspace": ".", "leafspace_client": "clients/python", "leafspace_drawings": "drawings"}
_UMASKS = (0o022, 0o077)  # of two builders, whose files have other modes


class ReleaseError(Exception):
    """A release cannot be made of these files; the message says why."""


def build_twice(folder: Path, revision: str = "HEAD") -> list[Path]:
    """Build every distribution into ``folder``, and return their paths, by name.

    They are built again in another folder and with another umask.

    Raises
    ------
    ReleaseError
        If the bytes differ.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="leafspace-again-") as again:
        first = _build(folder, revision, _UMASKS[0])
        second = _build(Path(again), revision, _UMASKS[1])
        if differing := sorted(name for name in first if first[name] != second.get(name)):
            message = f"built twice, these files differ: {', '.join(differing)}"
            raise ReleaseError(message)
    return [folder / name for name in sorted(first)]


def _build(folder: Path, revision: str, umask: int) -> dict[str, str]:
    """Build a revision, and return the hash of each file."""
    with tempfile.TemporaryDirectory(prefix="leafspace-build-") as temporary:
        checkout = Path(temporary) / "checkout"
        _check_out(revision, checkout)
        date = _git("log", "-1", "--format=%ct", revision).strip()
        built = build(checkout, folder, umask=umask, environment={**os.environ, "SOURCE_DATE_EPOCH": date})
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in built}


def _check_out(revision: str, folder: Path) -> None:
    """Write the committed files alone; what else lies in a work tree is no part of a release."""
    folder.mkdir()
    archive = folder.with_suffix(".tar")
    _git("archive", "--format=tar", f"--output={archive}", revision)
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")


def build(checkout: Path, folder: Path, *, umask: int = -1, environment: dict[str, str] | None = None) -> list[Path]:
    """Build all distributions of a checkout, wheels from the archives alone, and return their paths."""
    built = []
    for name, project in _PROJECTS.items():
        _hatchling("sdist", checkout / project, folder, environment, umask)
        (archive,) = folder.glob(f"{name}-*.tar.gz")
        with tempfile.TemporaryDirectory(prefix="leafspace-sources-") as sources, tarfile.open(archive) as packed:
            packed.extractall(sources, filter="data")
            # What an archive lacks, its wheel lacks, too: an index gives out both.
            _hatchling("wheel", next(Path(sources).iterdir()), folder, environment, umask)
        built += [archive, *folder.glob(f"{name}-*.whl")]
    return built


def _hatchling(target: str, project: Path, folder: Path, environment: dict[str, str] | None, umask: int) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    built = subprocess.run(
        command, cwd=project, env=environment, umask=umask, capture_output=True, text=True, check=False
    )
    if built.returncode:
        message = f"the {target} of {project.name} was not built: {built.stdout}{built.stderr}"
        raise ReleaseError(message)


def _git(*arguments: str) -> str:
    command = ["git", *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
