"""Thousands of predictions of a boosted model explained from a coroutine, and the least typical ones shown.

Start a service first: ``leafspace serve``. Needs pandas.
"""

import asyncio
import os

from leafspace_client import AsyncLeafspace
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier


async def main() -> None:
    """Register, choose, explain all rows, and list those that are far from every prototype."""
    rows, labels = load_digits(return_X_y=True)
    boosting = HistGradientBoostingClassifier(max_iter=40, random_state=0).fit(rows, labels)
    async with AsyncLeafspace(os.environ.get("LEAFSPACE_URL", "http://127.0.0.1:8000")) as client:
        # Both are sent at the same time.
        model, dataset = await asyncio.gather(
            client.register_model(boosting, rows, name="digits"),
            client.register_dataset((rows, labels), name="digits"),
        )
        requested = await client.prototype_sets.create(model, dataset, n_prototypes=30)
        prototype_set = await requested.wait(progress=True)
        explainer = await client.explainers.create(model, prototype_set)
        explanations = await explainer.explain(rows, n_prototypes=1)

    frame = explanations.to_frame()
    print("The digits that are least like any prototype:")
    print(frame.nsmallest(5, "proximity")[["row_id", "label", "prototype_row_id", "prototype_label", "proximity"]])


if __name__ == "__main__":
    asyncio.run(main())
