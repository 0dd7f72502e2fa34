"""Makes what the README shows: an explanation in words, and one tree that approximates a forest as ``tree.svg``.

Start a service first: ``leafspace serve``. The parts between ``# %%`` are cells in editors that know notebooks.
"""

# %% A forest on tumours; the rows keep the names that the data frame's index gives them
import os
from pathlib import Path

from leafspace_client import Leafspace
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

data = load_breast_cancer(as_frame=True)
X_train, X_new, y_train, _ = train_test_split(data.data, data.target_names[data.target], random_state=0)
forest = RandomForestClassifier(300, min_samples_leaf=3, random_state=0).fit(X_train, y_train)

# %% One prediction, by its nearest prototypes
client = Leafspace(os.environ.get("LEAFSPACE_URL", "http://127.0.0.1:8000"))
model = client.register_model(forest, X=X_train)
dataset = client.register_dataset(X_train.assign(y=y_train), target="y")
prototypes = client.prototype_sets.create(model, dataset, n_prototypes=6, refine="swap").wait()
explainer = client.explainers.create(model, prototypes)
print(explainer.explain(X_new)[0])

# %% The whole forest as one tree
tree = client.approximation_trees.create(model, dataset, method="sta", max_depth=3, max_pseudo_samples=20_000).wait()
Path("tree.svg").write_text(str(tree.export("svg")), encoding="utf-8")
