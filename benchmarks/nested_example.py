"""How long one example sent with its rows takes: reading the rows of a compound, and evaluating 700 features of it.

Mutagenesis (230 compounds with atoms and bonds): the generated features of depth 2, of every kind, and the same of
atoms with a charge above 0. All compounds are evaluated in turns, one by one, as requests bring them; processor time
counts.
``python -m benchmarks.nested_example``
"""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tests.support.raw_tables import RawTables
from tests.support.relational_data import mutagenesis
from tree_explainers.relational.generated_features import generated_features
from tree_explainers.relational.nested_rows import NestedRows
from tree_explainers.relational.queries import ColumnTerm, Condition, Feature
from tree_explainers.relational.query_trie import QueryTrie

from .machine import describe_machine

_N_FEATURES, _ROUNDS = 700, 5
_TARGET_MS = 5


def main() -> None:
    """Measure, and print."""
    raw = mutagenesis()
    generated = generated_features(raw.schema, 2)
    features = [*generated, *map(_of_charged_atoms, generated)][:_N_FEATURES]
    trie = QueryTrie(features, raw.schema)
    reader = NestedRows(raw.schema, trie.used)
    examples = _examples(raw)
    trie.vector(reader.rows_of(examples[0]))  # compiles
    reading, evaluating = [], []
    for example in examples * _ROUNDS:
        begin = time.process_time()
        rows = reader.rows_of(example)
        middle = time.process_time()
        trie.vector(rows)
        reading.append(1000 * (middle - begin))
        evaluating.append(1000 * (time.process_time() - middle))
    kinds = ", ".join(f"{n} {kind}" for kind, n in Counter(feature.kind for feature in features).most_common())
    print(describe_machine(), "(one core)\n")
    print(f"{len(features)} features ({kinds}); {_mean_rows(examples):.0f} rows an example\n")
    print("| ms an example | reading | evaluating | together | target |\n|---|---|---|---|---|")
    together = np.add(reading, evaluating)
    for name, share in (("median", 50), ("99 %", 99)):
        times = [f"{np.percentile(values, share):.2f}" for values in (reading, evaluating, together)]
        print(f"| {name} | {' | '.join(times)} | ≤ {_TARGET_MS} |")


def _of_charged_atoms(feature: Feature) -> Feature:
    if not feature.query.variables:
        return feature
    charged = Condition(0, ColumnTerm("charge"), ">", 0.0)
    return replace(feature, query=replace(feature.query, conditions=(*feature.query.conditions, charged)))


def _examples(raw: RawTables) -> list[Mapping[str, Sequence[Mapping[str, Any]]]]:
    """Return each compound with its own rows."""
    found: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for row in raw.rows("molecule"):
        found[row["id"]] = {"molecule": [row], "atom": [], "bond": []}
    owner = {row["id"]: row["molecule"] for row in raw.rows("atom")}
    for row in raw.rows("atom"):
        found[row["molecule"]]["atom"].append(row)
    for row in raw.rows("bond"):
        found[owner[row["atom1"]]]["bond"].append(row)
    return list(found.values())


def _mean_rows(examples: Sequence[Mapping[str, Sequence[Any]]]) -> float:
    return float(np.mean([sum(map(len, example.values())) for example in examples]))


if __name__ == "__main__":
    main()
