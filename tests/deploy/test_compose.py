"""``docker-compose.yml`` is what the Compose specification allows, and names nothing that it does not define."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from compose_spec import PyCompose

_TEXT = (Path(__file__).parents[2] / "docker-compose.yml").read_text()
# ${NAME:-default}, ${NAME:?message}, ${NAME}; $$ stands for a dollar that containers see.
_VARIABLE = re.compile(r"(?<!\$)\$\{\w+(?::(?P<operator>[-?])(?P<word>[^}]*))?\}")


def _interpolated(text: str) -> str:
    """Return the text with the defaults of its variables; a required one has a value."""
    return _VARIABLE.sub(lambda match: match["word"] if match["operator"] == "-" else "value", text)


def _project(text: str) -> dict[str, Any]:
    project: dict[str, Any] = yaml.safe_load(_interpolated(text))
    for service in project["services"].values():
        service["cpus"] = float(service.get("cpus", 0))  # the library takes no integer where the specification does
    return project


def _refusal(text: str) -> str:
    try:
        PyCompose.from_yaml(yaml.safe_dump(_project(text))).validate()
    except ValueError as error:
        return str(error)
    return ""


def test_the_specification_allows_it() -> None:
    assert _refusal(_TEXT) == ""


@pytest.mark.parametrize(
    ("right", "wrong", "refusal"),
    [
        ("healthcheck:", "healtcheck:", "healtcheck"),
        ("condition: service_healthy", "condition: healthy", "healthy"),
        ("start_period: 60s", "start_period: soon", "soon"),
        ("unless-stopped", "sometimes", "sometimes"),
        ("SERVICE_MEMORY:-8g", "SERVICE_MEMORY:-much", "much"),
        ("inside: {internal: true}", "within: {internal: true}", "inside"),
    ],
)
def test_what_is_wrong_is_refused(right: str, wrong: str, refusal: str) -> None:
    assert right in _TEXT
    assert refusal in _refusal(_TEXT.replace(right, wrong))


def test_volumes_and_services_that_are_named_exist() -> None:
    project = _project(_TEXT)
    services = project["services"].values()
    volumes = {volume.partition(":")[0] for service in services for volume in service.get("volumes", ())}

    assert volumes == set(project["volumes"])
    assert {name for service in services for name in service.get("depends_on", ())} <= set(project["services"])
