"""All wheels hold all that they need: they are installed into an empty environment and used far from the checkout."""

import email
import os
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
import venv
import zipfile
from email.message import Message
from importlib.metadata import PackageNotFoundError, PackagePath, distribution
from pathlib import Path

import pytest

from scripts.release.building import build
from tests.support.patience import PATIENCE_SECONDS

_ROOT = Path(__file__).parents[2]
# The client tries again until the service listens.
_EXPLAIN = """
import sys
from leafspace_client import Leafspace, RetryPolicy
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

X, y = load_iris(return_X_y=True)
client = Leafspace(sys.argv[1], retries=RetryPolicy(total_seconds=400, first_contact_seconds=400))
model = client.register_model(RandomForestClassifier(10, random_state=0).fit(X, y), X)
prototypes = client.prototype_sets.create(model, client.register_dataset((X, y))).wait()
print(client.explainers.create(model, prototypes).explain(X[:1])[0])
"""
_NAMES = ("leafspace", "leafspace_client", "leafspace_drawings")

_SOURCES = {"leafspace_client": "clients/python/src/", "leafspace_drawings": "drawings/src/"}


# Building the wheels takes seconds, and little of what changes is of them; .ci/run runs it.
pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheels by name, built from the archives of sources, without network, by what is installed here."""
    folder = tmp_path_factory.mktemp("wheels")
    build(_ROOT, folder)
    return {name: next(folder.glob(f"{name}-*.whl")) for name in _NAMES}


@pytest.fixture(scope="module")
def installed(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheels and the pinned libraries alone: nothing of the checkout, nothing for tests."""
    environment = tmp_path_factory.mktemp("installed")
    venv.create(environment, symlinks=True)
    python = environment / "bin/python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    _run([*command, *map(str, wheels.values())], environment)
    # Linked file by file: the sandbox of uploads reads what lies in the environment's own folder, and nothing else.
    here, there = Path(sysconfig.get_path("purelib")), next(environment.glob("lib/python3*/site-packages"))
    for name in _pins("runtime.txt"):
        for file in _files_of(name):
            if file.parts[0] != ".." and not (there / file).exists():
                (there / file).parent.mkdir(parents=True, exist_ok=True)
                _link(here / file, there / file)
    return environment


def test_every_file_of_the_packages_is_in_a_wheel(wheels: dict[str, Path]) -> None:
    packed = {name for wheel in wheels.values() for name in zipfile.ZipFile(wheel).namelist()}
    listed = _run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], _ROOT).stdout.splitlines()
    packages = {name.partition("/")[0] for name in packed if ".dist-info/" not in name} - set(_SOURCES)

    ours = {name for name in listed if name.partition("/")[0] in packages and (_ROOT / name).exists()}
    for source in _SOURCES.values():
        ours |= {name.removeprefix(source) for name in listed if name.startswith(source) and (_ROOT / name).exists()}
    assert "storage/migrations/script.py.mako" in ours
    assert {"leafspace_client/py.typed", "leafspace_drawings/leafspace.css", "service/page/shell.js"} <= ours
    assert ours <= packed


@pytest.mark.parametrize("name", _NAMES)
def test_metadata_say_what_an_index_shows(wheels: dict[str, Path], name: str) -> None:
    metadata = _metadata(wheels[name])

    assert metadata["Author"] == "The Leafspace authors"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert "LICENSE" in metadata.get_all("License-File", [])
    assert metadata["Keywords"]
    classifiers = metadata.get_all("Classifier", [])
    assert len(classifiers) > 5
    assert [each.rpartition(" ")[2] for each in classifiers if " :: 3." in each] == _pythons_that_run()
    urls = dict(each.split(", ") for each in metadata.get_all("Project-URL", []))
    assert set(urls) == {"Homepage", "Documentation", "Changelog", "Issues"}
    assert all(url.startswith("https://github.com/leafspace/leafspace") for url in urls.values())
    # An index has no other files that a relative link could lead to.
    links = re.findall(r"\]\(([^)]*)\)", str(metadata.get_payload()))
    assert [link for link in links if not link.startswith(("https://", "#"))] == []


def test_every_dependency_has_a_lower_bound_that_the_tested_versions_keep(wheels: dict[str, Path]) -> None:
    pins = _pins("cluster.txt") | _pins("dev.txt")
    pins |= {"xgboost": pins["xgboost-cpu"]}
    pins |= {name.replace("_", "-"): _metadata(wheels[name])["Version"] for name in _SOURCES}

    for wheel in wheels.values():
        for requirement in _metadata(wheel).get_all("Requires-Dist", []):
            match = re.match(r"([a-z0-9-]+)(?:\[[a-z,]*\])?(?:>=([0-9.]+))?", requirement)
            assert match is not None
            if match[1] in {"leafspace-client", "packaging"} and match[2] is None:
                continue  # this distribution's own extras; any release will do
            assert match[2], f"{requirement} has no lower bound"
            assert _numbers(match[2]) <= _numbers(pins[match[1]])


@pytest.mark.long  # half a minute on idle cores; .ci/run runs it
def test_what_is_installed_from_wheels_explains_a_prediction(installed: Path, tmp_path: Path) -> None:
    assert not tmp_path.is_relative_to(_ROOT)
    where = "import leafspace_client, storage.migrations as m; print(leafspace_client.__file__, m.__file__)"
    places = _installed(installed, tmp_path, "python", "-c", where).split()
    assert all(Path(place).is_relative_to(installed) for place in places)

    data = ["--data-dir", str(tmp_path / "data")]
    assert "lsk_" in _installed(installed, tmp_path, "leafspace", "keys", "create", "analysis", *data)
    _installed(installed, tmp_path, "leafspace", "check-database", *data)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (tmp_path / "explain.py").write_text(_EXPLAIN)
    serve = [str(installed / "bin/leafspace"), "serve", "--port", str(port), "--workers", "1", *data]
    with (tmp_path / "log").open("wb") as log:
        service = subprocess.Popen(serve, cwd=tmp_path, env=_environment(), stdout=log, stderr=log)
        try:
            shown = _installed(installed, tmp_path, "python", "explain.py", f"http://127.0.0.1:{port}")
        finally:
            service.terminate()
            service.wait(timeout=PATIENCE_SECONDS)
    assert shown.startswith("Row 0: ")
    assert "\n1. row " in shown


def _pythons_that_run() -> list[str]:
    """The versions of Python on which the quickstart ran, by the table in the docs."""
    table = (_ROOT / "docs/releases.md").read_text(encoding="utf-8")
    return re.findall(r"^\| (3\.\d+) \|.*\| runs \(", table, re.MULTILINE)


def _pins(name: str) -> dict[str, str]:
    """The versions in a file of requirements, by the names of distributions."""
    lines = (_ROOT / "requirements" / name).read_text().splitlines()
    return {match[1]: match[2] for line in lines if (match := re.match(r"([a-z0-9-]+)(?:\[.*\])?==([0-9.]+)", line))}


def _files_of(name: str) -> "list[PackagePath]":
    try:
        return list(distribution(name).files or [])
    except PackageNotFoundError:
        return []  # of another system, or another Python


def _link(source: Path, target: Path) -> None:
    try:
        target.hardlink_to(source)
    except OSError:  # on another disk
        shutil.copy2(source, target)


def _metadata(wheel: Path) -> "Message[str, str]":
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return email.message_from_string(archive.read(name).decode())


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.strip(".").split(".")))


def _installed(environment: Path, folder: Path, program: str, *arguments: str) -> str:
    return _run([str(environment / "bin" / program), *arguments], folder).stdout


def _run(command: list[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(  # our own commands
        command, cwd=folder, env=_environment(), capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done


def _environment() -> dict[str, str]:
    ours = ("LEAFSPACE_", "PYTHON", "VIRTUAL")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}
