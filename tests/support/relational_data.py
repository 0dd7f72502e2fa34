"""The shared relational data as tables with keys, and trains as Muggleton's generator makes them.

Bonds are stored both ways: a row for each direction, so that a bond is reached from an atom by ``bond.atom1`` and leads
to the other atom by ``bond.atom2``.
"""

import csv
import gzip
import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tests.support.raw_tables import RawTables, category, foreign_key, named, table
from tests.support.shared import shared_path
from tree_explainers.relational.schema import ColumnSchema, RelationshipSchema, Schema

KEY, NUMBER, BOOLEAN = ColumnSchema("key"), ColumnSchema("number"), ColumnSchema("boolean")
Columns = dict[str, list[Any]]
Level = TypeVar("Level")

# The types of atoms and the elements that ACE's language for `muta` names, and its types of bonds.
MUTA_ATOM_TYPES = tuple(
    str(number)
    for number in (
        *(1, 3, 8, 10, 14, 16, 19, 21, 22, 25, 26, 27, 28, 29, 31, 32, 34, 35, 36, 38, 40, 41, 42, 45, 49, 50, 51, 52),
        *(72, 92, 93, 94, 95, 194, 195, 230, 232),
    )
)
MUTA_ELEMENTS = ("br", "c", "cl", "f", "h", "i", "n", "o", "s")
CHARGE_BINS = (  # of the ACE form of the carcinogenesis data, ascending
    "a0=_inf<x<=_0_1355",
    "a0=_0_1355<x<=_0_0175",
    "a0=_0_0175<x<=0_0615",
    "a0=0_0615<x<=0_1375",
    "a0=0_1375<x<=+inf",
)


def mach() -> RawTables:
    """Return ACE's 15 machines with worn parts, some of them replaceable."""
    folder = shared_path("data/relational/ace/mach")
    facts = _facts(folder / "mach.kb")
    parts = _facts(folder / "mach.bg")
    replaceable = {name: True for (name,) in parts["replaceable"]} | {
        name: False for (name,) in parts["not_replaceable"]
    }
    columns: dict[str, Columns] = {
        "machine": _columns(("id", "action"), facts["machine"]),
        "worn": _columns(("machine", "comp"), facts["worn"]),
        "comp": {"name": list(replaceable), "replaceable": list(replaceable.values())},
    }
    schema = Schema(
        {
            "machine": table({"id": KEY, "action": category(columns["machine"]["action"])}, ["id"]),
            "worn": table({"machine": KEY, "comp": KEY}),
            "comp": table({"name": KEY, "replaceable": BOOLEAN}, ["name"]),
        },
        named(
            foreign_key("worn", ["machine"], "machine", ["id"]),
            foreign_key("worn", ["comp"], "comp", ["name"]),
        ),
        "machine",
        "action",
    )
    return RawTables(schema, columns)


def muta() -> RawTables:
    """Return ACE's 230 molecules with atoms and bonds; the class is ``pos`` where ``logmutag`` is above 0."""
    facts = _facts(shared_path("data/relational/ace/muta/muta.kb.gz"))
    activity = {molecule: float(value) for molecule, value in facts["logmutag"]}
    molecules = [molecule for (molecule,) in facts["molecule"]]
    labels = ["pos" if activity[molecule] > 0 else "neg" for molecule in molecules]
    examples = {"id": molecules, "class": labels}
    atoms = _columns(("molecule", "id", "element", "type", "charge"), facts["atom"])
    return _molecules(examples, "class", atoms, [bond[1:] for bond in facts["bond"]])


def canc() -> RawTables:
    """Return ACE's 330 compounds, with charges in five bins."""
    facts = _facts(shared_path("data/relational/ace/canc/canc-d.kb.gz"))
    examples = _columns(("id", "class"), facts["canc_d"])
    kept = set(examples["id"])  # of all 337, there are atoms and bonds
    rows = [
        (atom[0], atom[1], name.removeprefix("atm_"), *atom[2:])
        for name in facts
        if name.startswith("atm_")
        for atom in facts[name]
        if atom[0] in kept
    ]
    atoms = _columns(("molecule", "id", "element", "type", "charge"), rows)
    bonds = [
        (first, second, name.removeprefix("sbond_"))
        for name in facts
        if name.startswith("sbond_")
        for compound, first, second in facts[name]
        if compound in kept
    ]
    return _molecules(examples, "class", atoms, bonds, both_ways=True)


def canc_folds() -> list[list[str]]:
    """Return the compounds to test of each of ACE's ten folds."""
    folder = shared_path("data/relational/ace/canc/folds")
    return [re.findall(r"^(\w+): [+-]", (folder / f"test{fold}.txt").read_text(), re.MULTILINE) for fold in range(10)]


def carcinogenesis(*, only_ace: bool = True) -> RawTables:
    """Return the compounds (ACE's 330, or all 337) with charges as numbers."""
    drugs, atoms, bonds = (_csv("carcinogenesis", name) for name in ("drug", "atm", "bond"))
    kept = set(canc().columns["molecule"]["id"]) if only_ace else set(drugs["drug"])
    examples = _chosen({"id": drugs["drug"], "class": ["pos" if it == "1" else "neg" for it in drugs["active"]]}, kept)
    return _from_tables(examples, atoms, bonds, kept)


def mutagenicity() -> RawTables:
    """Return the molecules of ``mutagenesis`` with the number ``log_mutagenicity`` as their target, and no class."""
    raw, drugs = mutagenesis(), _csv("mutagenesis", "drug")
    number_of = dict(zip(drugs["drug"], map(_number, drugs["log_mutagenicity"]), strict=True))
    molecules = {name: values for name, values in raw.columns["molecule"].items() if name != "class"}
    molecules["log_mutagenicity"] = [number_of[each] for each in molecules["id"]]
    columns = {name: of for name, of in raw.schema.tables["molecule"].columns.items() if name != "class"}
    of_molecules = replace(raw.schema.tables["molecule"], columns={**columns, "log_mutagenicity": NUMBER})
    tables = {**raw.schema.tables, "molecule": of_molecules}
    schema = replace(raw.schema, tables=tables, target="log_mutagenicity")
    return RawTables(schema, {**raw.columns, "molecule": molecules})


def mutagenesis() -> RawTables:
    """Return the 230 molecules with atoms, bonds, ``logp`` and ``lumo``."""
    drugs, atoms, bonds = (_csv("mutagenesis", name) for name in ("drug", "atm", "bond"))
    examples: Columns = {
        "id": drugs["drug"],
        "class": ["pos" if it == "1" else "neg" for it in drugs["active"]],
    }
    for name in ("logp", "lumo"):
        of = _csv("mutagenesis", name)
        value_of = dict(zip(of["drug"], of[name], strict=True))
        examples[name] = [_number(value_of.get(drug, "")) for drug in drugs["drug"]]
    return _from_tables(examples, atoms, bonds, set(drugs["drug"]))


def _from_tables(examples: Columns, atoms: Columns, bonds: Columns, kept: set[str]) -> RawTables:
    atoms, bonds = (_chosen(of, {key for key in of["drug"] if key in kept}, "drug") for of in (atoms, bonds))
    atoms = {
        "molecule": atoms["drug"],
        "id": atoms["atom"],
        "element": atoms["element"],
        "type": atoms["atom_type"],
        "charge": [_number(text) for text in atoms["charge"]],
    }
    pairs = list(zip(bonds["atom1"], bonds["atom2"], bonds["bond_type"], strict=True))
    return _molecules(examples, "class", atoms, pairs)


def _molecules(
    examples: Columns, target: str, atoms: Columns, bonds: Sequence[tuple[str, ...]], *, both_ways: bool = False
) -> RawTables:
    """Return molecules, their atoms, and their bonds both ways, unless they are given ``both_ways``."""
    if not both_ways:
        bonds = [way for first, second, kind in bonds for way in ((first, second, kind), (second, first, kind))]
    binned = any(isinstance(charge, str) and charge.startswith("a0=") for charge in atoms["charge"])
    if not binned:
        atoms["charge"] = [_number(charge) if isinstance(charge, str) else charge for charge in atoms["charge"]]
    columns = {
        "molecule": examples,
        "atom": atoms,
        "bond": _columns(("atom1", "atom2", "type"), bonds),
    }
    atom_columns = {
        "molecule": KEY,
        "id": KEY,
        "element": category(atoms["element"]),
        "type": category(atoms["type"]),
        "charge": ColumnSchema("category", CHARGE_BINS) if binned else NUMBER,
    }
    numbers = {name: NUMBER for name in examples if name not in {"id", target}}
    tables = {
        "molecule": table({"id": KEY, target: category(examples[target])} | numbers, ["id"]),
        "atom": table(atom_columns, ["id"]),
        "bond": table({"atom1": KEY, "atom2": KEY, "type": category(columns["bond"]["type"])}),
    }
    return RawTables(Schema(tables, molecule_keys(), "molecule", target), columns)


def molecule_keys() -> dict[str, RelationshipSchema]:
    """Return the keys of molecules, atoms and bonds."""
    return named(
        foreign_key("atom", ["molecule"], "molecule", ["id"]),
        foreign_key("bond", ["atom1"], "atom", ["id"]),
        foreign_key("bond", ["atom2"], "atom", ["id"]),
    )


def trains(n_trains: int = 1000, seed: int = 0, noise: float = 0.1) -> RawTables:
    """Return trains drawn as the shared data's SCHEMA.md documents Muggleton's generator, with a concept of our own.

    This is not the paper's concept, which is not printed: a train is eastbound if it has a short car that is closed
    (flat or peaked or arc) and carries a triangle, or a long car with three wheels right before a car with a circle.
    A share ``noise`` of the labels is turned.
    """
    rng = np.random.default_rng(seed)
    cars: list[dict[str, Any]] = []
    labels = []
    for train in range(n_trains):
        drawn = [_car(rng, train, place) for place in range(rng.choice([2, 3, 4], p=[0.3, 0.3, 0.4]))]
        cars += drawn
        labels.append("east" if _is_eastbound(drawn) != (rng.random() < noise) else "west")
    for car, after in zip(cars, [*cars[1:], None], strict=True):
        car["next_car"] = after["id"] if after is not None and after["train"] == car["train"] else None
    columns: dict[str, Columns] = {
        "train": {"id": list(range(n_trains)), "direction": labels},
        "car": {name: [car[name] for car in cars] for name in cars[0]},
    }
    of_car = {name: category(columns["car"][name]) for name in ("shape", "length", "roof", "wheels", "load_shape")}
    car = {"id": KEY, "train": KEY, "next_car": KEY, "double": BOOLEAN, "loads": NUMBER} | of_car
    tables = {
        "train": table({"id": KEY, "direction": category(labels)}, ["id"]),
        "car": table({name: car[name] for name in columns["car"]}, ["id"]),
    }
    keys = named(
        foreign_key("car", ["train"], "train", ["id"]),
        foreign_key("car", ["next_car"], "car", ["id"]),
    )
    return RawTables(Schema(tables, keys, "train", "direction"), columns)


def _is_eastbound(cars: list[dict[str, Any]]) -> bool:
    closed_triangle = any(
        car["length"] == "short" and car["roof"] != "none" and car["load_shape"] == "triangle" for car in cars
    )
    pairs = itertools.pairwise(cars)
    return closed_triangle or any(
        first["wheels"] == "3" and second["load_shape"] == "circle" for first, second in pairs
    )


_SHORT_SHAPES = {"ellipse": 0.048, "hexagon": 0.048, "rectangle": 0.524, "u_shaped": 0.19, "bucket": 0.19}
_ROOFS = {
    "ellipse": {"arc": 1.0},
    "hexagon": {"flat": 1.0},
    "short": {"none": 0.842, "flat": 0.105, "peaked": 0.053},
    "long": {"none": 0.333, "flat": 0.444, "jagged": 0.223},
}
_LOADS = {
    "short": {"circle": 0.381, "diamond": 0.048, "rectangle": 0.19, "triangle": 0.381},
    "long": {"circle": 0.125, "hexagon": 0.125, "rectangle": 0.625, "utriangle": 0.125},
}
_PIECES = {"short": {1: 0.952, 2: 0.048}, "long": {0: 0.11, 1: 0.55, 2: 0.11, 3: 0.23}}


def _car(rng: np.random.Generator, train: int, place: int) -> dict[str, Any]:
    length = "short" if rng.random() < 0.7 else "long"
    shape = _drawn(rng, _SHORT_SHAPES) if length == "short" else "rectangle"
    return {
        "id": f"{train}_{place}",
        "train": train,
        "next_car": None,
        "shape": shape,
        "length": length,
        "double": bool(shape == "rectangle" and length == "short" and rng.random() < 0.27),
        "roof": _drawn(rng, _ROOFS.get(shape, _ROOFS[length])),
        "wheels": "2" if length == "short" or rng.random() < 0.56 else "3",
        "load_shape": _drawn(rng, _LOADS[length]),
        "loads": float(_drawn(rng, _PIECES[length])),
    }


def _drawn(rng: np.random.Generator, shares: Mapping[Level, float]) -> Level:
    places = np.cumsum(list(shares.values()))
    return list(shares)[int(np.searchsorted(places / places[-1], rng.random(), side="right"))]


def _facts(path: Path) -> dict[str, list[tuple[str, ...]]]:
    """Return the arguments of the facts of Prolog text, by predicate; facts with lists or rules are left out."""
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    facts: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for name, arguments in re.findall(r"^(\w+)\(([^()\[\]]*)\)\.", text, re.MULTILINE):
        facts[name].append(tuple(argument.strip().strip("'") for argument in arguments.split(",")))
    return facts


def _columns(names: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Columns:
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def _csv(dataset: str, name: str) -> Columns:
    path = shared_path(f"data/relational/{dataset}/tables/{name}.csv.gz")
    with gzip.open(path, "rt", newline="") as file:
        rows: Iterator[list[str]] = csv.reader(file)
        names = next(rows)
        return {name: list(values) for name, values in zip(names, zip(*rows, strict=True), strict=True)}


def _chosen(columns: Columns, kept: set[str], key: str = "id") -> Columns:
    """Return the rows whose key is kept."""
    rows = [row for row, value in enumerate(columns[key]) if value in kept]
    return {name: [values[row] for row in rows] for name, values in columns.items()}


def _number(text: str) -> float | None:
    return float(text) if text not in {"", "?"} else None
