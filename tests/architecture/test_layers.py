"""Every package and every module has its place in the contracts that the linter of imports holds."""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.support.sources import PACKAGES, ROOT, imports_of, name_of, python_files

_BESIDE = {
    "tests",
    "scripts",
    "benchmarks",
    "clients",
    "drawings",
    "examples",
}  # folders of code that is no part of the service
_NAMES_WITHOUT_SUBJECT = {"utils", "util", "helpers", "helper", "common", "misc", "base", "tools", "shared", "core"}


def _settings() -> dict[str, Any]:
    settings: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    return settings


def _exhaustive() -> dict[str, set[str]]:
    """Return, for each package whose contract is exhaustive, the modules that it places."""
    contracts = [each for each in _settings()["importlinter"]["contracts"] if each.get("exhaustive")]
    return {
        container: {module.strip() for layer in each["layers"] for module in layer.replace(":", "|").split("|")}
        for each in contracts
        for container in each["containers"]
    }


def _children(package: str) -> set[str]:
    folder = ROOT / package.replace(".", "/")
    own = {path.relative_to(folder).parts[0].removesuffix(".py") for path in folder.rglob("*.py")}
    return own - {"__init__"}


def test_every_folder_of_code_is_a_package_under_contract_or_stands_beside_them() -> None:
    paths = [Path(name_of(path)) for path in python_files()]
    folders = {path.parts[0] for path in paths if len(path.parts) > 1}
    assert {path.name for path in paths if len(path.parts) == 1} == {"conftest.py", "hatch_build.py"}

    assert folders - _BESIDE == set(PACKAGES)
    assert set(_settings()["importlinter"]["root_packages"]) == {*PACKAGES, "leafspace_client", "leafspace_drawings"}
    built = _settings()["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert set(built) == set(PACKAGES)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_has_its_place_in_its_package(package: str) -> None:
    assert _exhaustive()[package] == _children(package)


def test_types_are_checked_in_every_package() -> None:
    assert set(PACKAGES) <= set(_settings()["mypy"]["packages"])
    assert _settings()["mypy"]["strict"] is True


def _copy_packages(folder: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", folder)
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))


def _lint(folder: Path) -> "subprocess.CompletedProcess[str]":
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    environment = {"PYTHONPATH": str(folder), "PATH": ""}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment)


def test_the_contracts_hold_and_a_stray_module_breaks_them(tmp_path: Path) -> None:
    _copy_packages(tmp_path)
    kept = _lint(tmp_path)
    assert kept.returncode == 0, kept.stdout

    for package in ("storage", "service"):
        (tmp_path / package / "utils.py").write_text('"""Various things."""\n')
    broken = _lint(tmp_path)
    assert broken.returncode == 1
    assert "storage.utils" in broken.stdout
    assert "service.utils" in broken.stdout


def test_files_of_one_folder_that_know_each_other_break_the_contracts(tmp_path: Path) -> None:
    _copy_packages(tmp_path)
    with (tmp_path / "tree_explainers/leaf_space/leaves.py").open("a") as leaves:
        leaves.write("\nfrom .nearest_rows import NearestRows\n")
    broken = _lint(tmp_path)
    assert broken.returncode == 1
    assert "tree_explainers.leaf_space" in broken.stdout
    assert "circle BROKEN" in " ".join(broken.stdout.split())


def test_no_module_is_named_for_its_kind() -> None:
    files = [path for path in python_files(*PACKAGES, "clients") if "/tests/" not in name_of(path)]

    assert [name_of(path) for path in files if _NAMES_WITHOUT_SUBJECT & {path.stem, path.parent.name}] == []


def test_onnx_is_known_in_one_place_and_the_web_in_another() -> None:
    for path in python_files(*PACKAGES):
        imported = {module.partition(".")[0] for module in imports_of(path)}
        name = name_of(path)
        if not name.startswith("tree_explainers/onnx_models/"):
            assert not imported & {"onnx", "onnxruntime"}, name
        if not name.startswith("service/") or name.startswith(("service/operations/", "service/drawings/")):
            assert not imported & {"fastapi", "starlette", "uvicorn"}, name
        if name.startswith("schemas/"):
            assert imported <= {"pydantic", "pydantic_core", "typing_extensions", *sys.stdlib_module_names}, name


def test_packages_import_themselves_relatively_and_each_other_absolutely() -> None:
    for path in python_files(*PACKAGES):
        package = Path(name_of(path)).parts[0]
        if name_of(path).startswith("storage/migrations/"):
            continue  # run as scripts
        assert not [module for module in imports_of(path) if module.partition(".")[0] == package], name_of(path)


def test_the_sdk_imports_none_of_the_services_packages() -> None:
    client = [path for path in python_files("clients") if "/src/" in name_of(path)]

    assert client
    for path in client:
        assert not {module.partition(".")[0] for module in imports_of(path)} & set(PACKAGES), name_of(path)
