"""What is in distributions: no tests, no paths of machines, one version, a licence, metadata that an index takes."""

import email
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from email.message import Message
from pathlib import Path

from .building import ROOT

_LEFT_OVER = re.compile(r"(^|/)(tests?|__pycache__|\.git|\.venv|node_modules)/|\.(pyc|so|env|log|orig|rej)$")
_FOLDERS_OF_PEOPLE = re.compile(
    rb"/(?:home|Users)/(?!me\b|you\b|app\b)[a-z][\w.-]*/|" + re.escape(f"{Path.home()}/.".encode())
)
_DATED = re.compile(r"^## (?P<version>\S+) \((?P<date>[^)]*)\)$", re.MULTILINE)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def faults_of(distributions: list[Path]) -> list[str]:
    """Return one sentence for each fault of these wheels and archives; none where all is well."""
    versions = {path.name: _metadata(path)["Version"] for path in distributions}
    faults = [fault for path in distributions for fault in faults_of_files(path)]
    if len(set(versions.values())) != 1:
        faults.append(f"the versions differ: {', '.join(f'{name} has {each}' for name, each in versions.items())}")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    return [*faults, *changelog_faults(changelog, min(versions.values())), *_twine_faults(distributions)]


def changelog_faults(changelog: str, version: str) -> list[str]:
    """Return what is wrong with the newest heading of a changelog: it names the version, and a date."""
    heading = _DATED.search(changelog)
    if heading is None or heading["version"] != version:
        return [f"CHANGELOG.md does not begin with version {version}"]
    if _DATE.fullmatch(heading["date"]) is None:
        return [f"CHANGELOG.md gives version {version} no date: {heading['date']}"]
    return []


def faults_of_files(path: Path) -> Iterator[str]:
    """Yield a sentence for each file that is no part of a release, and one where there is no licence."""
    licences = 0
    for name, content in files_of(path):
        licences += name.endswith("LICENSE")
        if _LEFT_OVER.search(name):
            yield f"{path.name} has {name}, which is no part of a release"
        if (folder := _FOLDERS_OF_PEOPLE.search(content)) and not content.startswith(b"\x89PNG"):
            yield f"{name} in {path.name} names a folder of a machine: {folder[0].decode()}"
    if not licences:
        yield f"{path.name} has no LICENSE"


def files_of(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a wheel or an archive, by name."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            yield from ((name, wheel.read(name)) for name in wheel.namelist())
        return
    with tarfile.open(path) as archive:
        for member in archive:
            if (file := archive.extractfile(member)) is not None:
                yield member.name, file.read()


def _metadata(path: Path) -> "Message[str, str]":
    wanted = "METADATA" if path.suffix == ".whl" else "PKG-INFO"
    return next(email.message_from_bytes(content) for name, content in files_of(path) if name.endswith(f"/{wanted}"))


def _twine_faults(distributions: list[Path]) -> list[str]:
    checked = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", *map(str, distributions)],
        capture_output=True,
        text=True,
        check=False,
    )
    return [] if checked.returncode == 0 else [f"twine refuses them: {checked.stdout}{checked.stderr}"]
