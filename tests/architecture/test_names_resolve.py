"""What is named as text exists: functions, codes, commands, settings."""

import ast
import importlib
import inspect
import re
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from leafspace.cli import main
from schemas.problems import PROBLEM_KINDS
from service.settings import ServiceSettings
from storage import errors as storage_errors
from storage.job_notifications import RUN_JOB
from tests.support.sources import PACKAGES, ROOT, name_of, nodes_of, own_files, python_files
from tree_explainers import errors as explainer_errors
from workers.job_kinds import JOB_KINDS, load_job_kinds
from workers.runtime.settings import WorkerSettings

_CODE = re.compile(r"[a-z]+(?:_[a-z0-9]+)+")
_ENVIRONMENT = re.compile(r"LEAFSPACE_[A-Z_]+")
_TAKE_A_CODE = {"problem_for", "BadJson", "BodyRefused", "problem_answer", "_answer"}
_OWN_ENVIRONMENT = {
    *("LEAFSPACE_HOST", "LEAFSPACE_PORT", "LEAFSPACE_DATA_DIR", "LEAFSPACE_WORKERS"),  # options of the command line
    "LEAFSPACE_API_KEY",  # of the SDK
}


def _resolve(name: str) -> Any:  # any function
    module, _, function = name.rpartition(".")
    return getattr(importlib.import_module(module), function)


def test_the_function_that_the_service_rings_for_is_the_workers_own() -> None:
    assert inspect.isfunction(_resolve(RUN_JOB))
    assert RUN_JOB.startswith("workers.")


def test_every_kind_of_job_resolves_and_is_called_like_its_artefact() -> None:
    assert {kind: inspect.isfunction(function) for kind, function in load_job_kinds().items()} == dict.fromkeys(
        JOB_KINDS, True
    )
    for kind, name in JOB_KINDS.items():
        assert name.startswith(f"workers.jobs.{kind}.")


def _errors_with_codes() -> set[str]:
    classes = [*vars(storage_errors).values(), *vars(explainer_errors).values()]
    bases = (storage_errors.StorageError, explainer_errors.ExplainerError)
    return {each.__name__ for each in classes if inspect.isclass(each) and issubclass(each, bases)}


def _codes_in(path: Path) -> set[str]:
    """Return the texts that a file hands to whatever takes a problem's code."""
    taking = _errors_with_codes() | _TAKE_A_CODE
    found = set()
    for node in nodes_of(path):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        texts = [each for each in node.args if isinstance(each, ast.Constant)][:1]
        texts += [each.value for each in node.keywords if each.arg == "code" and isinstance(each.value, ast.Constant)]
        if called in taking or called.startswith(("_refus", "refus")) or _is_super_init(node):
            found |= {str(each.value) for each in texts if _CODE.fullmatch(str(each.value))}
    return found


def _is_super_init(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and node.func.attr == "__init__"


def test_every_code_that_is_raised_anywhere_is_in_the_one_table() -> None:
    raised = {code: name_of(path) for path in python_files(*PACKAGES) for code in _codes_in(path)}

    assert len(raised) > 25
    assert {code: place for code, place in raised.items() if code not in PROBLEM_KINDS} == {}


def test_every_code_looks_like_one_and_has_status_and_title() -> None:
    for code, kind in PROBLEM_KINDS.items():
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", code)
        assert 400 <= kind.status <= 599
        assert kind.title


# Read by the file itself.
_VARIABLE_OF_COMPOSE = re.compile(
    r"\$\{(LEAFSPACE_(?:\w+(?:_PASSWORD|_IMAGE|_MEMORY)|CLUSTER|CLUSTER_WORKER_BYTES|CONTAINER_CPUS))\b"
)


def _known_environment() -> set[str]:
    fields = {*ServiceSettings.model_fields, *WorkerSettings.model_fields}
    return {f"LEAFSPACE_{field.upper()}" for field in fields} | _OWN_ENVIRONMENT


@pytest.mark.parametrize(
    "name",
    ["docker-compose.yml", "Dockerfile", "README.md", "CONTRIBUTING.md", "docs/architecture.md"],
)
def test_settings_that_are_spoken_of_exist(name: str) -> None:
    path = ROOT / name
    found = set(_ENVIRONMENT.findall(path.read_text(encoding="utf-8"))) if path.exists() else set()
    own_of_compose = set(_VARIABLE_OF_COMPOSE.findall((ROOT / "docker-compose.yml").read_text(encoding="utf-8")))
    of_tests = {
        each for each in found if each.startswith(("LEAFSPACE_TEST_", "LEAFSPACE_SHARED", "LEAFSPACE_REQUIRE_"))
    }

    assert found - own_of_compose - of_tests <= _known_environment()


def test_settings_that_errors_speak_of_exist() -> None:
    for path in python_files(*PACKAGES):
        texts = [node.value for node in nodes_of(path) if isinstance(node, ast.Constant)]
        spoken_of = {name for text in texts if isinstance(text, str) for name in _ENVIRONMENT.findall(text)}
        assert {name for name in spoken_of if name != "LEAFSPACE_"} <= _known_environment(), name_of(path)


def _compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    return found


def _check_command(command: list[str]) -> None:
    """Have the command line itself read a command, without running it."""
    program, name, *arguments = command
    assert program == "leafspace"
    subcommand = main.get_command(click.Context(main), name)
    assert subcommand is not None
    subcommand.make_context(name, arguments)


def test_composed_containers_run_commands_that_there_are() -> None:
    services = _compose()["services"]

    assert set(services) == {"service", "workers", "scheduler", "cluster-worker", "redis", "postgres"}
    for name in ("service", "workers"):
        _check_command(services[name]["command"])
        of_buckets = {each for each in services[name]["environment"] if each.startswith("AWS_")}
        assert set(services[name]["environment"]) - of_buckets <= _known_environment()
        assert set(services[name]["depends_on"]) <= set(services)
    assert services["service"]["command"][:3] == ["leafspace", "serve", "--no-worker"]
    assert services["workers"]["command"] == ["leafspace", "worker"]


def test_composed_volumes_are_declared_and_nothing_is_published_to_other_machines() -> None:
    compose = _compose()
    used = {
        volume.partition(":")[0] for service in compose["services"].values() for volume in service.get("volumes", [])
    }

    assert used == set(compose["volumes"])
    published = [port for service in compose["services"].values() for port in service.get("ports", [])]
    assert published
    assert all(port.startswith("127.0.0.1:") for port in published)


def test_the_image_runs_a_command_that_there_is() -> None:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    (command,) = (line.removeprefix("CMD ") for line in lines if line.startswith("CMD "))

    _check_command(yaml.safe_load(command))
    assert any(line.startswith("USER ") and line != "USER root" for line in lines)


def test_make_targets_that_are_spoken_of_exist() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for name in ("README.md", "CONTRIBUTING.md", ".ci/run"):
        spoken_of = set(re.findall(r"(?:^|`|\n)make ([a-z0-9-]+)", (ROOT / name).read_text(encoding="utf-8")))
        assert spoken_of <= targets, name


def test_paths_that_the_documents_speak_of_exist() -> None:
    for path in (*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        links = re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8"))
        for link in links:
            if "://" not in link and not link.startswith("/"):
                assert (path.parent / link).exists(), (name_of(path), link)


_FILE_IN_BACKTICKS = re.compile(r"`([\w*-][\w./*-]*(?:\.(?:py|json|toml|yml|md|in)|/))`")
_OF_A_DATA_DIRECTORY = {"cache/", "objects/", "object-cache/", "source-cache/", "spool/"}


def test_files_that_the_documents_name_exist() -> None:
    files = [name_of(path) for path in own_files()]
    folders = {f"{parent.as_posix()}/" for name in files for parent in Path(name).parents}
    named = {
        (name_of(page), name)
        for page in (ROOT / "docs").rglob("*.md")
        for name in _FILE_IN_BACKTICKS.findall(page.read_text(encoding="utf-8"))
    }
    assert len(named) > 150

    known = {f"/{each}" for each in (*files, *folders)}
    ends = {path[start:] for path in known for start, letter in enumerate(path) if letter == "/"}
    unknown = {each for each in named if f"/{each[1]}" not in ends}  # most are known as they are written
    missing = {each for each in unknown if not any(fnmatch(path, f"*/{each[1]}") for path in known)}

    assert {(page, name) for page, name in missing if name not in _OF_A_DATA_DIRECTORY} == set()
