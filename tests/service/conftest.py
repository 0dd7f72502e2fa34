"""A workshop for the tests of the service, with a forest's explainer in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.api import frame_of
from tests.support.models import FittedModel, fitted
from tests.support.workshop import Workshop, workshop_in


@dataclass(frozen=True)
class Shop:
    """A workshop with a forest, its rows, prototypes of them, and an explainer."""

    workshop: Workshop
    fitted: FittedModel
    model: str
    dataset: str
    prototype_set: str
    explainer: str

    def instance(self, row: int) -> dict[str, float]:
        return dict(zip(self.fitted.rows.names, self.fitted.features[row].tolist(), strict=True))


@contextmanager
def shop_in(directory: Path) -> Iterator[Shop]:
    """Open a shop of its own in a directory."""
    forest = fitted("random_forest_binary")
    with workshop_in(directory) as workshop:
        model = workshop.register_model(forest.onnx, feature_names=list(forest.rows.names), ensemble="random_forest")
        dataset = workshop.register_dataset(frame_of(forest), target="t")
        made = workshop.make(model=model, dataset=dataset, n_prototypes=5)
        explainer = workshop.register_explainer(model=model, prototype_set=made.id)
        yield Shop(workshop, forest, model, dataset, made.id, explainer)


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    with shop_in(tmp_path_factory.mktemp("shop")) as shop:
        yield shop
