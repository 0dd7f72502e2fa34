"""Draw the picture of the packages, ``docs/images/architecture.svg``, from the floors that import-linter holds.

The floors are read from ``pyproject.toml``, so that the picture shows what ``make check`` enforces; a test compares it.
Run ``python -m scripts.draw_architecture`` after a change of the floors.
"""

import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[1]
PICTURE = _ROOT / "docs" / "images" / "architecture.svg"
WIDTH, _FLOOR, _BOX, _GAP, _LEFT = 1040, 84, 52, 12, 180
_WORDS = {  # the second line of a box
    "leafspace": "commands and the supervisor",
    "service": "HTTP: operations, routes, page",
    "workers": "jobs, in processes of their own",
    "explanations": "what is said of a row",
    "storage": "database and objects by hash",
    "leafspace_drawings": "HTML and SVG",
    "observability": "logs",
    "sandbox": "confined child",
    "schemas": "messages",
    "tree_explainers": "mathematics",
}
_STYLE = """
.box { fill: #f3f7f4; stroke: #1c6b50; } .beside { fill: #f6f3ea; stroke: #8a6d1d; }
.name { font: 600 13px system-ui, sans-serif; fill: #14271f; }
.about { font: 12px system-ui, sans-serif; fill: #44574f; }
.way { fill: none; stroke: #8a6d1d; stroke-width: 1.5; } .head { fill: #8a6d1d; } .paper { fill: #ffffff; }
@media (prefers-color-scheme: dark) {
.box { fill: #16261f; stroke: #6cc3a0; } .beside { fill: #2a2413; stroke: #d9b95a; } .paper { fill: #0d1117; }
.name { fill: #e6f2ec; } .about { fill: #a9bdb4; } .way { stroke: #d9b95a; } .head { fill: #d9b95a; }
}
"""
_ARROW_HEAD = (
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    'orient="auto-start-reverse"><path class="head" d="M0 0 8 4 0 8z"/></marker></defs>'
)


def floors() -> list[list[str]]:
    """Return the packages of each floor, the uppermost first, as the contract ``floors`` has them."""
    settings: dict[str, Any] = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract["id"] == "floors")
    return [[name.strip() for name in layer.split("|")] for layer in layers]


def draw() -> str:
    """Return the picture: a row of boxes for each floor, and the ways of data beside them."""
    rows = floors()
    height = len(rows) * _FLOOR + 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="title">',
        '<title id="title">Packages by floors: each knows only those below it</title>',
        f"<style>{_STYLE}</style>",
        _ARROW_HEAD,
        f'<rect class="paper" width="{WIDTH}" height="{height}"/>',
        *(box for floor, names in enumerate(rows) for box in _row(floor, names)),
        *_ways(rows),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _row(floor: int, names: list[str]) -> Iterator[str]:
    width = (WIDTH - _LEFT - 20 - (len(names) - 1) * _GAP) / len(names)
    for index, name in enumerate(names):
        yield _box("box", _LEFT + index * (width + _GAP), _top(floor), width, name, _WORDS[name])


def _ways(rows: list[list[str]]) -> Iterator[str]:
    """Yield the SDK and the stores, with the ways of data: requests, the numbers of jobs, and what is kept."""
    (serving,) = (floor for floor, names in enumerate(rows) if "service" in names)
    (keeping,) = (floor for floor, names in enumerate(rows) if "storage" in names)
    yield _box("beside", 10, _top(serving), 130, "clients/python", "SDK, browsers, curl")
    yield _way(140, _top(serving) + _BOX / 2, _LEFT, "HTTP")
    yield _box("beside", 10, _top(keeping), 130, "stores", "SQL, files or S3")
    yield _way(_LEFT, _top(keeping) + _BOX / 2, 140, "")
    middle, y = (_LEFT + WIDTH - 20) / 2, _top(serving) - 8
    yield f'<text class="about" x="{middle:.0f}" y="{y}" text-anchor="middle">ids of jobs, by Redis →</text>'


def _top(floor: int) -> int:
    return 24 + floor * _FLOOR


def _box(kind: str, x: float, y: float, width: float, name: str, about: str) -> str:
    middle = x + width / 2
    return (
        f'<rect class="{kind}" x="{x:.1f}" y="{y}" width="{width:.1f}" height="{_BOX}" rx="6"/>'
        f'<text class="name" x="{middle:.1f}" y="{y + 22}" text-anchor="middle">{escape(name)}</text>'
        f'<text class="about" x="{middle:.1f}" y="{y + 40}" text-anchor="middle">{escape(about)}</text>'
    )


def _way(x1: float, y: float, x2: float, about: str) -> str:
    line = f'<path class="way" d="M{x1:.1f} {y:.1f}H{x2:.1f}" marker-end="url(#head)"/>'
    return f'{line}<text class="about" x="{(x1 + x2) / 2:.1f}" y="{y - 6:.1f}" text-anchor="middle">{about}</text>'


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
