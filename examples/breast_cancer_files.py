"""Write model.onnx, rows.csv and instance.json: a random forest on scikit-learn's breast cancer data, ready for curl.

``python examples/breast_cancer_files.py FOLDER``
"""

import json
import sys
from pathlib import Path

import numpy as np
from skl2onnx import to_onnx
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier


def main(folder: Path) -> None:
    """Fit the forest; write the three files, and metadata.json, which says what the graph does not."""
    data = load_breast_cancer(as_frame=True)
    table = data.data.assign(diagnosis=data.target_names[data.target])
    rows = data.data.to_numpy(np.float32)
    forest = RandomForestClassifier(300, random_state=0).fit(rows, table["diagnosis"])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(to_onnx(forest, rows[:1], options={"zipmap": False}).SerializeToString())
    table.to_csv(folder / "rows.csv", index=False)
    metadata = {"feature_names": list(data.data.columns), "ensemble": "random_forest"}
    (folder / "metadata.json").write_text(json.dumps(metadata))
    (folder / "instance.json").write_text(json.dumps({"instances": [data.data.iloc[3].to_dict()], "n_prototypes": 2}))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "example"))
