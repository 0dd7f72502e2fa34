"""A forest that reads thirteen measurements of a wine, told in one tree that asks for as few as it takes.

Start a service first: ``leafspace serve``. The parts between ``# %%`` are cells in editors that know notebooks.
"""

# %% A forest that tells three vineyards apart by thirteen measurements
import os

from leafspace_client import Leafspace
from sklearn.datasets import load_wine
from sklearn.ensemble import RandomForestClassifier

wines = load_wine(as_frame=True)
vineyards = wines.target_names[wines.target]
forest = RandomForestClassifier(300, random_state=0).fit(wines.data, vineyards)
client = Leafspace(os.environ.get("LEAFSPACE_URL", "http://127.0.0.1:8000"))
model = client.register_model(forest, wines.data, name="three vineyards")
dataset = client.register_dataset((wines.data, vineyards), name="three vineyards")

# %% A job asks the forest about thousands of wines like these, until it is sure which question comes first
tree = client.approximation_trees.create(model, dataset, max_depth=3, max_pseudo_samples=20_000).wait(progress=True)
print(tree)
print(f"{tree.evaluation.fidelity:.0%} of the wines get the forest's answer")
print(f"(always the same answer is the forest's for {tree.evaluation.constant.fidelity:.0%})")
print(tree.export("text"))  # how sure each question is; "svg" draws it, "sql", "python" and "onnx" run it

# %% A laboratory measures only what it is asked for
wine, answers = wines.data.iloc[0], {}
asked = tree.next_question(answers)
while asked.question is not None:
    print(f"{asked.question.feature}? {wine[asked.question.column]:g}")
    answers[asked.question.column] = float(wine[asked.question.column])
    asked = tree.next_question(answers)
print(f"{asked.prediction}, after {asked.n_asked} of {asked.n_features} measurements")
