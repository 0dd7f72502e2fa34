"""Generate the SDK's lower half from openapi.json, or check that the committed one is what the generator gives."""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[1]
_CONTRACT = _ROOT / "openapi.json"
_CONFIG = _ROOT / "clients/python/generator.yml"
_TARGET = _ROOT / "clients/python/src/leafspace_client/_generated"
_MODELS = "models/__init__.py"
_DRAWN = "Dataset|Job|Model|NextQuestion"  # answers that have a picture of their own
_LABELLED = ("ClassPrediction", "Contrast", "NearestPrototype", "NearestRow", "PrototypePrediction", "Score")
_TRIED_MEMBER = (
    r"(?P<try>try:\n\s+)(?P<check>if not isinstance\((?P<data>\w+), dict\)):"
    r"(?P<rest>\n\s+raise TypeError\(\)\n\s+\w+ = (?P<kind>\w+)\.from_dict\(\w+\)\n)"
)


def main() -> int:
    """Write the code, or with ``--check`` compare it; return the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        generated = _generate(Path(folder))
    if "--check" not in sys.argv:
        _write(generated)
        return 0
    differing = sorted(_differences(generated, _committed()))
    if not differing:
        return 0
    print(
        f"the generated client is not what openapi.json gives ({len(differing)} files differ, the first is "
        f"{differing[0]}); run `make client` and commit the result"
    )
    return 1


def client_contract(contract: dict[str, Any]) -> dict[str, Any]:
    """Return the contract as the client should read it.

    Enumerations may grow, and a client must accept values that it does not know: they become plain strings. Files to
    upload are described in terms that the generator understands. Labels of predictions and explanations may be numbers,
    which the client makes of them where its caller has numbers.
    """
    opened: dict[str, Any] = _opened(contract)
    for name in _LABELLED:
        fields = opened["components"]["schemas"][name]["properties"]
        described = {key: value for key, value in fields["label"].items() if key != "type"}
        fields["label"] = described | {"anyOf": [{"type": "string"}, {"type": "number"}]}
    return opened


def _opened(value: Any, name: str = "") -> Any:  # noqa: ANN401  # any JSON value
    if isinstance(value, list):
        return [_opened(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("contentMediaType") == "application/octet-stream":
        return {**value, "format": "binary"}
    is_closed = value.get("type") == "string" and name != "object"
    return {key: _opened(item, key) for key, item in value.items() if not (is_closed and key in {"enum", "const"})}


def _generate(folder: Path) -> dict[str, bytes]:
    contract = folder / "openapi.json"
    contract.write_text(json.dumps(client_contract(json.loads(_CONTRACT.read_text(encoding="utf-8")))))
    target = folder / "_generated"
    options = ["--path", contract, "--output-path", target, "--meta", "none", "--config", _CONFIG, "--fail-on-warning"]
    command = [sys.executable, "-m", "openapi_python_client", "generate", *map(str, options)]
    subprocess.run(command, env=_environment(), check=True, stdout=subprocess.DEVNULL)  # noqa: S603  # our own command
    files = dict(_files(target))
    members = _union_members(json.loads(contract.read_text(encoding="utf-8")))
    changed = {
        name: _by_discriminator(_with_records(content), members)
        for name, content in files.items()
        if name.startswith("models/")
    }
    return files | changed | {_MODELS: _imported_late(files[_MODELS])}


def _imported_late(package: bytes) -> bytes:
    """Have the package of all models import each of them when it is first asked for: clients need few of them."""
    text = package.decode()
    imports = re.findall(r"^from \.(\w+) import (?:\(\s*)?(\w+)", text, flags=re.MULTILINE)
    opening, rest = text.split("\n\n", 1)
    listed = rest[rest.index("__all__") :]
    lines = [
        opening,
        "",
        "from importlib import import_module",
        "from typing import TYPE_CHECKING, Any",
        "",
        "if TYPE_CHECKING:",
        *(f"    from .{module} import {name}" for module, name in imports),
        "",
        "_MODULES = {",
        *(f'    "{name}": "{module}",' for module, name in imports),
        "}",
        "",
        listed.rstrip(),
        "",
        "if not TYPE_CHECKING:",
        "",
        "    def __getattr__(name: str) -> Any:",
        "        if name not in _MODULES:",
        '            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")',
        '        globals()[name] = getattr(import_module(f".{_MODULES[name]}", __name__), name)',
        "        return globals()[name]",
        "",
        "    def __dir__() -> list[str]:",
        "        return sorted(__all__)",
        "",
    ]
    return "\n".join(lines).encode()


def _with_records(module: bytes) -> bytes:
    """Let the classes of answers derive from the SDK's own Record, with a short repr; some have pictures."""
    text = module.decode()
    is_drawn = re.search(rf"^class ({_DRAWN}):", text, flags=re.MULTILINE) is not None
    base = rf"@_attrs_define(repr=False)\nclass \1({'DrawnRecord, Record' if is_drawn else 'Record'}):"
    text = re.sub(r"^@_attrs_define\nclass (\w+):", base, text, flags=re.MULTILINE)
    imports = r"((?:^from attrs import .*\n)+)\n(?=(from \.\.)?)"
    relative = f"{'from ...displays import DrawnRecord' + chr(10) if is_drawn else ''}from ...records import Record\n"
    text = re.sub(imports, lambda m: f"{m[1]}\n{relative}{'' if m[2] else chr(10)}", text, flags=re.MULTILINE)
    return text.encode()


def _union_members(contract: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Return by class the field that discriminates the members of its union, and the value that it has in this one."""
    found = {}
    for schema in contract["components"]["schemas"].values():
        if "discriminator" in schema:
            for value, reference in schema["discriminator"]["mapping"].items():
                found[reference.rpartition("/")[2]] = schema["discriminator"]["propertyName"], value
    return found


def _by_discriminator(module: bytes, members: dict[str, tuple[str, str]]) -> bytes:
    """Let a member of a union be tried only if the field that discriminates says so.

    The generator tries one class after the other, and takes the first whose required fields are there. The last one
    also takes values that the client is too old to know.
    """

    def chosen(found: re.Match[str]) -> str:
        if found["kind"] not in members:
            return found[0]
        field, value = members[found["kind"]]
        check = f'{found["check"]} or {found["data"]}.get("{field}") != "{value}"'
        return f"{found['try']}{check}:{found['rest']}"

    return re.sub(_TRIED_MEMBER, chosen, module.decode()).encode()


def _environment() -> dict[str, str]:
    # The generator calls ruff by name: it is the one beside this interpreter. Sets must come out in one order.
    here = str(Path(sys.executable).parent)
    return {**os.environ, "PATH": f"{here}{os.pathsep}{os.environ.get('PATH', '')}", "PYTHONHASHSEED": "0"}


def _committed() -> dict[str, bytes]:
    return dict(_files(_TARGET))


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in {".pyc", ".pyo"}:
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def _differences(generated: dict[str, bytes], committed: dict[str, bytes]) -> set[str]:
    return {name for name in generated.keys() | committed.keys() if generated.get(name) != committed.get(name)}


def _write(generated: dict[str, bytes]) -> None:
    for name in _committed().keys() - generated.keys():
        (_TARGET / name).unlink()
    for name, content in generated.items():
        path = _TARGET / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


if __name__ == "__main__":
    sys.exit(main())
