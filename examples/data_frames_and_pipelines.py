"""A pipeline on a DataFrame with texts and missing values: explanations come in raw columns and units.

Start a service first: ``leafspace serve``. Needs pandas. The parts between ``# %%`` are cells in editors that know
notebooks.
"""

# %% Flats with texts, numbers and holes; the rent follows from them
import os

import numpy as np
import pandas as pd
from leafspace_client import Leafspace
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

rng = np.random.default_rng(0)
n_flats = 2_000
flats = pd.DataFrame(
    {
        "square_metres": rng.normal(70, 25, n_flats).clip(15).round(),
        "rooms": rng.integers(1, 6, n_flats),
        "district": rng.choice(np.array(["harbour", "old town", "hill", np.nan], dtype=object), n_flats),
        "balcony": rng.choice([True, False], n_flats),
        "year_built": rng.choice([1890, 1910, 1935, 1960, 1985, 2010, np.nan], n_flats),
    }
)
rent = flats["square_metres"] * flats["district"].map({"harbour": 14, "old town": 17, "hill": 12}).fillna(11)
rent += 80 * flats["balcony"] + rng.normal(0, 30, n_flats)

# %% Preprocessing is part of the model that is registered
texts = make_pipeline(SimpleImputer(strategy="constant", fill_value="unknown"), OneHotEncoder(handle_unknown="ignore"))
columns = ColumnTransformer(
    [
        ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["square_metres", "rooms", "year_built"]),
        ("texts", texts, ["district"]),
        ("flags", "passthrough", ["balcony"]),
    ]
)
pipeline = Pipeline([("columns", columns), ("forest", RandomForestRegressor(200, max_depth=5, random_state=0))])
pipeline.fit(flats, rent)

# %% Rows of the DataFrame show the types of its columns, and prove that the service predicts the same
client = Leafspace(os.environ.get("LEAFSPACE_URL", "http://127.0.0.1:8000"))
model = client.register_model(pipeline, flats, name="rents")
dataset = client.register_dataset(flats.assign(rent=rent), target="rent", name="flats")
prototype_set = client.prototype_sets.create(model, dataset, n_prototypes=12).wait(progress=True)
print(
    prototype_set.to_frame()[["rank", "value", "square_metres", "district", "balcony"]].round().to_string(index=False)
)

# %% A new flat, with its year unknown
flat = {"square_metres": 64, "rooms": 2, "district": "harbour", "balcony": True, "year_built": None}
print(client.explainers.create(model, prototype_set).explain(flat)[0])
