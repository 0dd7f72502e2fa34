"""Write the table of settings in docs/operations.md from the classes that read them, or check that it is up to date."""

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field

from pydantic_settings import BaseSettings

from scripts.generated_parts import write_part
from service.settings import ServiceSettings
from workers.runtime.settings import WorkerSettings

_READERS: dict[str, type[BaseSettings]] = {"API": ServiceSettings, "workers": WorkerSettings}
_UNITS = (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))


@dataclass
class _Setting:
    """A line of the table."""

    name: str
    default: str
    meaning: str
    readers: list[str] = field(default_factory=list)


def main() -> int:
    """Write the table, or with ``--check`` compare it; return the exit status."""
    return write_part("operations.md", "settings", _table())


def _table() -> str:
    settings: dict[str, _Setting] = {}
    for reader, kind in _READERS.items():
        for setting in _settings_of(kind):
            settings.setdefault(setting.name, setting).readers.append(reader)
    lines = [
        f"| `LEAFSPACE_{setting.name.upper()}` | {setting.default} | {setting.meaning} | {', '.join(setting.readers)} |"
        for setting in settings.values()
    ]
    return "\n".join(["| variable | default | meaning | read by |", "|---|---|---|---|", *lines])


def _settings_of(kind: type[BaseSettings]) -> Iterator[_Setting]:
    source = textwrap.dedent(inspect.getsource(kind))
    lines = source.splitlines()
    definition = ast.parse(source).body[0]
    assert isinstance(definition, ast.ClassDef)  # for the type checker
    for node in definition.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            # The comment in the code is the meaning in the table.
            _, _, comment = lines[(node.end_lineno or 1) - 1].partition("  # ")
            yield _Setting(node.target.id, _default(kind, node), comment.replace("|", "\\|"))


def _default(kind: type[BaseSettings], node: ast.AnnAssign) -> str:
    assert isinstance(node.target, ast.Name)  # for the type checker
    if node.value is None:
        return "given by `leafspace`"
    if isinstance(node.value, ast.Call):
        return "as the machine has it"
    name, value = node.target.id, kind.model_fields[node.target.id].default
    if value is None:
        return "none"
    if name.endswith("_bytes"):
        unit, size = next(unit for unit in _UNITS if value % unit[1] == 0)
        return f"`{value}` ({value // size} {unit})"
    if isinstance(value, tuple):
        return f"`{list(value)}`"
    return f"`{value}`".lower()


if __name__ == "__main__":
    sys.exit(main())
