"""A random forest on tumours: register it, choose prototypes, explain one prediction.

Start a service first: ``leafspace serve``. The parts between ``# %%`` are cells in editors that know notebooks.
"""

# %% A model, fitted as usual
import os

from leafspace_client import Leafspace
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

data = load_breast_cancer()
rows, new_rows, labels, _ = train_test_split(data.data, data.target_names[data.target], random_state=0)
forest = RandomForestClassifier(300, random_state=0).fit(rows, labels)

# %% The service gets the model as ONNX, and rows to choose prototypes from
names = list(data.feature_names)
client = Leafspace(os.environ.get("LEAFSPACE_URL", "http://127.0.0.1:8000"))
model = client.register_model(forest, rows, name="tumours", feature_names=names)
dataset = client.register_dataset((rows, labels), name="tumours", features=names)

# %% A job chooses prototypes: real rows that represent all others, as the forest sees them
prototype_set = client.prototype_sets.create(model, dataset, n_prototypes=6).wait(progress=True)
print(prototype_set)  # what that is worth: beside the forest, always the same answer, and what to be cautious of

# %% Single predictions are explained at once, without a job
explainer = client.explainers.create(model, prototype_set)
explanation = explainer.explain(new_rows[0], n_prototypes=2, include=["contrast"])[0]
print(explanation)
