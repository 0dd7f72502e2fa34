"""Nine tables that share one column, registered without any declaration but the target, in a service of its own.

Mutagenesis (230 compounds) and carcinogenesis (337; some tables name others, too). Each is learned from as it is, and
with the same keys declared. Printed are the accuracies out of bag, and that of always the most frequent label.
``python -m benchmarks.inferred_keys``
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from leafspace_client import Leafspace, RelationalForest

from tests.support.shared import shared_path

from .machine import describe_machine
from .serving import served

NINE_TABLES = {
    "mutagenesis": ("atm", "bond", "benzene", "nitro", "ring_size_5", "groups_index", "logp", "lumo"),
    "carcinogenesis": ("atm", "bond", "has_property", "ind", "ames", "ashby_alert", "groups_index", "nitro"),
}
"""Beside the examples' table, which is called ``compound``, while the column that all of them share is ``drug``."""


def nine_tables(name: str) -> dict[str, pd.DataFrame]:
    """Return nine tables of a set, the examples with nothing but their shared column and their label."""
    folder = shared_path(f"data/relational/{name}/tables")
    tables = {table: pd.read_csv(folder / f"{table}.csv.gz") for table in (*NINE_TABLES[name], "drug")}
    examples = tables.pop("drug")[["drug", "active"]].dropna().astype({"active": int})
    return {"compound": examples, **tables}


def main() -> None:
    """Measure both sets, and print."""
    print(describe_machine())
    with served() as url, Leafspace(url) as client:
        for name in NINE_TABLES:
            print("\n".join(_compared(client, name)), flush=True)


def _compared(client: Leafspace, name: str) -> Sequence[str]:
    tables = nine_tables(name)
    labels = tables["compound"]["active"]
    references = {f"{table}.drug": "compound" for table in tables if table != "compound"}
    forests = {
        "nothing declared": _forest(client, tables),
        "all keys declared": _forest(
            client, tables, keys={"compound": "drug"}, references=references, infer_keys=False
        ),
    }
    return [
        f"{name}: {len(labels)} compounds, {max(labels.mean(), 1 - labels.mean()):.3f} of one label",
        *(f"  {what}: {_accuracy(forest):.3f} out of bag" for what, forest in forests.items()),
    ]


def _forest(client: Leafspace, tables: Mapping[str, Any], **declared: Any) -> RelationalForest:
    dataset = client.register_relational_dataset(tables, examples="compound", target="active", **declared)
    return client.relational_forests.create(dataset).wait()


def _accuracy(forest: RelationalForest) -> float:
    scores = forest.evaluation.out_of_bag
    assert scores is not None
    assert scores.accuracy is not None
    return scores.accuracy


if __name__ == "__main__":
    main()
