"""The manifests for Kubernetes: its schemas allow them; settings, commands, probes and grace periods are the code's."""

import shutil
import subprocess
from copy import deepcopy
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from leafspace.cli import main
from service.main import build_app
from service.settings import ServiceSettings
from workers.runtime.settings import WorkerSettings

_FOLDER = Path(__file__).parents[2] / "deploy" / "kubernetes"
_NAMES = yaml.safe_load((_FOLDER / "kustomization.yaml").read_text())["resources"]
_OBJECTS: list[dict[str, Any]] = [
    manifest for name in _NAMES for manifest in yaml.safe_load_all((_FOLDER / name).read_text())
]
_PODS = {
    manifest["metadata"]["name"]: manifest["spec"]["template"]["spec"]
    for manifest in _OBJECTS
    if manifest["kind"] == "Deployment"
}
_EVERY_POD = pytest.mark.parametrize("name", _PODS)
_SECONDS_MORE = 10
_KUBECTL = shutil.which("kubectl")
_RELEASES = ("1.31", "1.34", "1.37")
_PROBES = ("startupProbe", "readinessProbe", "livenessProbe")


@pytest.fixture(scope="module")
def kubernetes_validate() -> ModuleType:
    """Return what validates manifests: it takes a second to load, which every test process would spend."""
    return import_module("kubernetes_validate")


def _container(name: str) -> dict[str, Any]:
    (container,) = _PODS[name]["containers"]
    return dict(container)


def _settings(name: str) -> dict[str, str]:
    return {each["name"]: each["value"] for each in _container(name)["env"]}


def test_every_file_is_applied() -> None:
    assert {path.name for path in _FOLDER.glob("*.yaml")} == {*_NAMES, "kustomization.yaml"}


@pytest.mark.parametrize("release", _RELEASES)
@pytest.mark.parametrize(
    "manifest", _OBJECTS, ids=lambda manifest: f"{manifest['kind']} {manifest['metadata']['name']}"
)
def test_schemas_of_kubernetes_allow_each_object(
    kubernetes_validate: ModuleType, manifest: dict[str, Any], release: str
) -> None:
    assert kubernetes_validate.validate(manifest, release, strict=True) == release


def test_a_field_that_kubernetes_does_not_have_is_refused(kubernetes_validate: ModuleType) -> None:
    deployment = deepcopy(_OBJECTS[0])
    deployment["spec"]["template"]["spec"]["terminationGraceSeconds"] = 30

    with pytest.raises(kubernetes_validate.ValidationError, match="terminationGraceSeconds"):
        kubernetes_validate.validate(deployment, _RELEASES[-1], strict=True)


@pytest.mark.skipif(_KUBECTL is None, reason="kubectl, which renders kustomizations, is not installed")
def test_the_kustomization_is_rendered(kubernetes_validate: ModuleType) -> None:
    command = [str(_KUBECTL), "kustomize", str(_FOLDER)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout  # ours
    objects = list(yaml.safe_load_all(printed))

    assert len(objects) == len(_OBJECTS)
    for manifest in objects:
        kubernetes_validate.validate(manifest, _RELEASES[-1], strict=True)


@_EVERY_POD
def test_settings_exist(name: str) -> None:
    known = {*ServiceSettings.model_fields, *WorkerSettings.model_fields, "workers"}

    assert {variable.removeprefix("LEAFSPACE_").lower() for variable in _settings(name)} <= known


@_EVERY_POD
def test_commands_exist(name: str) -> None:
    program, command, *options = _container(name)["command"]
    usage = CliRunner().invoke(main, [command, "--help"]).output

    assert program == "leafspace"
    assert all(option in usage for option in options if option.startswith("--"))


@_EVERY_POD
def test_a_pod_is_confined(name: str) -> None:
    pod, container = _PODS[name], _container(name)["securityContext"]

    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["readOnlyRootFilesystem"] is True
    assert container["allowPrivilegeEscalation"] is False
    assert container["capabilities"] == {"drop": ["ALL"]}


@_EVERY_POD
def test_a_service_of_our_name_sets_nothing_of_ours(name: str) -> None:
    assert _PODS[name]["enableServiceLinks"] is False


def test_probes_call_routes_at_the_port_that_is_listened_to() -> None:
    container = _container("leafspace-api")
    paths = {getattr(route, "path", None) for route in build_app().state.routes}
    probes = [container[probe]["httpGet"] for probe in _PROBES]

    assert {probe["path"] for probe in probes} <= paths
    assert {probe["port"] for probe in probes} == {container["ports"][0]["name"]}
    assert str(container["ports"][0]["containerPort"]) in container["command"]


def test_there_is_time_to_drain() -> None:
    settings, container = _settings("leafspace-api"), _container("leafspace-api")
    drain_seconds = float(settings["LEAFSPACE_DRAIN_SECONDS"])
    seconds = drain_seconds + float(settings["LEAFSPACE_GRACE_SECONDS"]) + _SECONDS_MORE

    assert _PODS["leafspace-api"]["terminationGracePeriodSeconds"] >= seconds
    assert drain_seconds > container["readinessProbe"]["periodSeconds"]


def test_selectors_select_pods() -> None:
    for manifest in _OBJECTS:
        selector = manifest["spec"].get("selector") or manifest["spec"]["podSelector"]
        assert selector.get("matchLabels", selector)["app"] in _PODS


def test_api_and_workers_agree_on_the_memory_of_jobs() -> None:
    assert len({_settings(name)["LEAFSPACE_JOB_MEMORY_BYTES"] for name in _PODS}) == 1
