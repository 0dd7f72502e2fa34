"""Deep feature synthesis of molecules, atoms and bonds, timed; run in featuretools' own environment.

``python featuretools_run.py FOLDER``, which holds ``molecule.csv``, ``atom.csv`` and ``bond.csv``.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import featuretools
import pandas as pd


def main() -> None:
    """Print the number of features and the seconds that their values take."""
    warnings.filterwarnings("ignore")
    folder = Path(sys.argv[1])
    tables = {name: pd.read_csv(folder / f"{name}.csv") for name in ("molecule", "atom", "bond")}
    entities = featuretools.EntitySet("molecules")
    entities.add_dataframe(dataframe_name="molecule", dataframe=tables["molecule"].drop(columns="class"), index="id")
    categories = {"element": "Categorical", "type": "Categorical"}
    entities.add_dataframe(dataframe_name="atom", dataframe=tables["atom"], index="id", logical_types=categories)
    bonds = tables["bond"].drop(columns="atom2")
    entities.add_dataframe(
        dataframe_name="bond", dataframe=bonds, index="bond", make_index=True, logical_types={"type": "Categorical"}
    )
    entities.add_relationship("molecule", "id", "atom", "molecule")
    entities.add_relationship("atom", "id", "bond", "atom1")
    definitions = featuretools.dfs(
        entityset=entities, target_dataframe_name="molecule", max_depth=2, features_only=True
    )
    started = time.perf_counter()
    featuretools.calculate_feature_matrix(definitions, entities, n_jobs=1)
    print(json.dumps({"n_features": len(definitions), "seconds": time.perf_counter() - started}))


if __name__ == "__main__":
    main()
