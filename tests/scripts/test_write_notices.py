"""The bill of materials and the third-party notices list exactly the packages that are pinned.

That they are the files which the pins give is held by ``make check``.
"""

import json
import re
from pathlib import Path

import pytest

from scripts.write_notices import Pin, noticed, pins_of

_ROOT = Path(__file__).parents[2]
_SBOM = (_ROOT / "sbom.cdx.json").read_text(encoding="utf-8")
_NOTICES = (_ROOT / "THIRD-PARTY-NOTICES.md").read_text(encoding="utf-8")
_REQUIREMENTS = (_ROOT / "requirements/runtime.txt").read_text(encoding="utf-8")


def test_every_pinned_package_is_in_both() -> None:
    pinned = {tuple(line.split()[0].split("==")) for line in _REQUIREMENTS.splitlines() if re.match(r"[a-z]", line)}

    assert len(pinned) > 70
    assert {(pin.name, pin.version) for pin in pins_of(_REQUIREMENTS)} == pinned
    assert {(each["name"], each["version"]) for each in json.loads(_SBOM)["components"]} == pinned
    assert noticed(_NOTICES) == pinned


@pytest.mark.long
def test_the_bill_of_materials_is_valid() -> None:
    # Their import takes two seconds, in each process that collects tests.
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(_SBOM) is None


def test_the_bill_of_materials_has_the_hashes_of_the_pins() -> None:
    hashes = {hash_["content"] for each in json.loads(_SBOM)["components"] for hash_ in _hashes(each)}
    assert hashes == set(re.findall(r"--hash=sha256:([0-9a-f]{64})", _REQUIREMENTS))


def test_neither_says_when_or_where_it_was_written() -> None:
    assert "timestamp" not in json.loads(_SBOM)["metadata"]
    assert "serialNumber" not in json.loads(_SBOM)
    assert "site-packages" not in _NOTICES + _SBOM


def test_markers_and_extras_are_no_part_of_a_version() -> None:
    lines = """
psycopg[binary]==3.3.9 \\
    --hash=sha256:00
colorama==0.4.6 ; sys_platform == 'win32' \\
    # via click==8.5.1
idna==3.20
"""

    pins = list(pins_of(lines))

    assert pins == [Pin("psycopg", "3.3.9"), Pin("colorama", "0.4.6", "sys_platform == 'win32'"), Pin("idna", "3.20")]


def _hashes(component: dict[str, list[dict[str, list[dict[str, str]]]]]) -> list[dict[str, str]]:
    return [each for reference in component["externalReferences"] for each in reference["hashes"]]
