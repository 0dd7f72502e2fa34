"""Labels that were written down wrongly, found by comparing rows that a forest sees alike.

Start a service first: ``leafspace serve``. The parts between ``# %%`` are cells in editors that know notebooks.
"""

# %% Tumours, and somebody who wrote down the wrong diagnosis for 28 of them (we know which, the forest doesn't)
import os

import numpy as np
from leafspace_client import Leafspace
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

data = load_breast_cancer()
malignant, benign = data.target_names
diagnoses = data.target_names[data.target]
wrong = np.random.default_rng(0).choice(len(diagnoses), 28, replace=False)
written = diagnoses.copy()
written[wrong] = np.where(diagnoses[wrong] == malignant, benign, malignant)

# %% A forest whose leaves hold several rows cannot learn single wrong labels by heart
forest = RandomForestClassifier(300, min_samples_leaf=5, random_state=0).fit(data.data, written)
names = list(data.feature_names)
client = Leafspace(os.environ.get("LEAFSPACE_URL", "http://127.0.0.1:8000"))
model = client.register_model(forest, data.data, name="tumours, some mislabelled", feature_names=names)
dataset = client.register_dataset((data.data, written), name="tumours, some mislabelled", features=names)

# %% A job compares each row with all others, and ranks rows by how few of those that are like it have the same label
audit = client.label_audits.create(model, dataset).wait(progress=True)
for row in audit.suspects[:5]:
    share = f"{row.agreement:.0%} of the votes of rows like it agree"
    print(f"row {row.row_id} is labelled {row.label}, but {share}: rather {row.suggested_label}?")

# %% How many labels are wrong, as far as rows can say
wrong_labels = audit.result.estimated_wrong
print(f"about {wrong_labels.number} of the labels are wrong, {wrong_labels.low} to {wrong_labels.high}")

# %% Somebody who looks at no more than a tenth of the rows finds most of what is wrong
first = {row.row for row in audit.suspects[: len(written) // 10]}
found = len(first.intersection(wrong.tolist()))
print(f"{found} of the {len(wrong)} wrong labels are among the {len(first)} rows that are most suspect")

# %% A forest that is grown until its leaves are pure repeats every label: the service says that this weakens the signal
memorising = RandomForestClassifier(300, random_state=0).fit(data.data, written)
model = client.register_model(memorising, data.data, name="tumours by heart", feature_names=names)
audit = client.label_audits.create(model, dataset).wait()
first = {row.row for row in audit.suspects[: len(written) // 10]}
print(f"a forest that learned all labels by heart: {len(first.intersection(wrong.tolist()))} of {len(wrong)}")
print(f"caution: {audit.result.cautions[0].detail}")
