"""A forest that reads thirteen measurements of a wine, approximated by one tree that needs as few as possible.

Start a service first: ``leafspace serve``. The parts between ``# %%`` are cells in editors that know notebooks.
"""

# %% A forest that separates three vineyards by thirteen measurements
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

# %% A job has the forest label thousands of wines like these, until one split is significantly the best
tree = client.approximation_trees.create(model, dataset, max_depth=3, max_pseudo_samples=20_000).wait(progress=True)
print(tree)
print(f"{tree.evaluation.fidelity:.0%} of the wines get the forest's answer")
print(f"(always the same answer is the forest's for {tree.evaluation.constant.fidelity:.0%})")
print(tree.export("text"))  # how sure each question is; "svg" draws it, "sql", "python" and "onnx" run it

# %% A laboratory measures only what the next question requests
wine, answers = wines.data.iloc[0], {}
step = tree.next_question(answers)
while step.question is not None:
    print(f"{step.question.feature}? {wine[step.question.column]:g}")
    answers[step.question.column] = float(wine[step.question.column])
    step = tree.next_question(answers)
print(f"{step.prediction}, after {step.n_asked} of {step.n_features} measurements")
