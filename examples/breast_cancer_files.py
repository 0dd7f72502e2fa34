"""Write model.onnx, rows.csv and instance.json: a random forest on scikit-learn's breast cancer data, ready for curl.

``python examples/breast_cancer_files.py FOLDER``
"""

import csv
import json
import sys
from pathlib import Path

import numpy as np
from skl2onnx import to_onnx
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier


def main(folder: Path) -> None:
    """Fit the forest; write the three files, and metadata.json, which says what the graph does not."""
    data = load_breast_cancer()
    names, rows = data.feature_names.tolist(), data.data.astype(np.float32)
    diagnoses = data.target_names[data.target]
    forest = RandomForestClassifier(300, random_state=0).fit(rows, diagnoses)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(to_onnx(forest, rows[:1], options={"zipmap": False}).SerializeToString())
    table = [[*names, "diagnosis"], *([*row, diagnosis] for row, diagnosis in zip(data.data, diagnoses, strict=True))]
    with (folder / "rows.csv").open("w", newline="") as file:
        csv.writer(file).writerows(table)
    metadata = {"feature_names": names, "ensemble": "random_forest"}
    (folder / "metadata.json").write_text(json.dumps(metadata))
    instance = dict(zip(names, data.data[3].tolist(), strict=True))
    (folder / "instance.json").write_text(json.dumps({"instances": [instance], "n_prototypes": 2}))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "example"))
