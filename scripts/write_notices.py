"""Write sbom.cdx.json and THIRD-PARTY-NOTICES.md for the pinned packages, or check that they are those of the pins."""

import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

_ROOT = Path(__file__).parents[1]
_PINS = Path("requirements/runtime.txt")
_SBOM, _NOTICES = _ROOT / "sbom.cdx.json", _ROOT / "THIRD-PARTY-NOTICES.md"
_PIN = re.compile(
    r"^(?P<name>[A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(?P<version>[^ ;\\]+)(?: *; *(?P<marker>[^\\]+?))? *\\?$"
)
_ROW = re.compile(r"^\| (?P<name>[^ |]+) \| (?P<version>[^ |]+) \|", re.MULTILINE)
_UNKNOWN = "UNKNOWN"
_OPENING = """# Third-party notices

Leafspace is under the Apache License 2.0. At run time it uses the packages below, each under a licence of its own. They
are those of `requirements/runtime.txt`; `sbom.cdx.json` lists the same packages for machines (CycloneDX).
`make notices` writes both, this file from the metadata of the installed packages. Some packages bring further
texts, for code that they contain.

| package | version | licence |
|---|---|---|
"""
_ELSEWHERE = "not needed on the system where this was written: the package itself says"


class Pin(NamedTuple):
    """A pinned package; ``marker`` says where it is installed, and is empty for everywhere."""

    name: str
    version: str
    marker: str = ""


def main() -> int:
    """Write both files, or with ``--check`` compare them with the pins; return the exit status."""
    pins = list(pins_of((_ROOT / _PINS).read_text(encoding="utf-8")))
    sbom = json.dumps(_sbom(pins), indent=1) + "\n"
    if "--check" not in sys.argv:
        _SBOM.write_text(sbom, encoding="utf-8")
        _NOTICES.write_text(_notices(pins), encoding="utf-8")
        return 0
    # Texts of licences may differ from wheel to wheel of one version: only packages and versions are compared.
    if _SBOM.read_text(encoding="utf-8") == sbom and noticed(_NOTICES.read_text(encoding="utf-8")) == _named(pins):
        return 0
    print(f"{_SBOM.name} or {_NOTICES.name} does not list the packages of {_PINS}; run `make notices` and commit both")
    return 1


def pins_of(requirements: str) -> Iterator[Pin]:
    """Yield the packages that a compiled file of requirements pins."""
    for line in requirements.splitlines():
        if match := _PIN.match(line):
            yield Pin(match["name"], match["version"], match["marker"] or "")


def noticed(notices: str) -> set[tuple[str, str]]:
    """Return names and versions of the packages in the table of notices."""
    return {(row["name"], row["version"]) for row in _ROW.finditer(notices) if row["name"] != "package"}


def _named(pins: list[Pin]) -> set[tuple[str, str]]:
    return {(pin.name, pin.version) for pin in pins}


def _sbom(pins: list[Pin]) -> dict[str, Any]:
    command = ["cyclonedx_py", "requirements", str(_PINS), "--pyproject", "pyproject.toml"]
    options = ["--output-reproducible", "--spec-version", "1.6", "--output-format", "JSON"]
    bill: dict[str, Any] = json.loads(_output_of(*command, *options))
    markers = {(pin.name, pin.version): pin.marker for pin in pins}
    bill["components"] = sorted((_component(each, markers) for each in bill["components"]), key=_reference)
    # The tool knows no dependencies among pinned packages, and names its own pages on the web.
    del bill["dependencies"]
    for tool in bill["metadata"]["tools"]["components"]:
        tool.pop("externalReferences", None)
    return bill


def _component(component: dict[str, Any], markers: dict[tuple[str, str], str]) -> dict[str, Any]:
    """Return a component without line numbers and without the place that its files were looked for at."""
    (reference,) = component["externalReferences"]
    files = {**reference, "url": _PINS.as_posix(), "comment": "The hashes of all files of this version."}
    marker = markers[component["name"], component["version"]]
    installed = {"properties": [{"name": "python:marker", "value": marker}]} if marker else {}
    identity = {key: component[key] for key in ("name", "version", "purl", "type")}
    return {"bom-ref": component["purl"], **identity, "externalReferences": [files], **installed}


def _reference(component: dict[str, Any]) -> str:
    return str(component["bom-ref"])


def _notices(pins: list[Pin]) -> str:
    installed = {(_normal(each["Name"]), each["Version"]): each for each in _installed(pins)}
    packages = sorted(
        ((pin, installed.get((_normal(pin.name), pin.version))) for pin in pins), key=lambda each: each[0]
    )
    rows = "".join(
        f"| {pin.name} | {pin.version} | {_ELSEWHERE if package is None else package['License']} |\n"
        for pin, package in packages
    )
    return f"{_OPENING}{rows}\n## Texts\n{''.join(_texts(packages))}"


def _installed(pins: list[Pin]) -> list[dict[str, str]]:
    options = ["--format=json", "--with-license-file", "--with-notice-file", "--no-license-path", "--with-system"]
    packages: list[dict[str, str]] = json.loads(
        _output_of("piplicenses", *options, "--packages", *{p.name for p in pins})
    )
    return packages


def _texts(packages: list[tuple[Pin, dict[str, str] | None]]) -> Iterator[str]:
    """Yield each text once, under the names of all packages that have it."""
    names: defaultdict[str, list[str]] = defaultdict(list)
    for pin, package in packages:
        for field in ("LicenseText", "NoticeText"):
            text = "" if package is None else _tidy(package[field])
            if text not in {"", _UNKNOWN}:
                names[text].append(f"{pin.name} {pin.version}")
    for text, having in names.items():
        yield f"\n### {', '.join(having)}\n\n````text\n{text}\n````\n"


def _tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _output_of(module: str, *arguments: str) -> str:
    command = [sys.executable, "-W", "ignore", "-m", module, *arguments]
    return subprocess.run(command, cwd=_ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout  # ours


if __name__ == "__main__":
    sys.exit(main())
