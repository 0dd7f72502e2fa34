"""Cautions call classes and features as the dictionary does, wherever results are read."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

from explanations.reports.inputs import ReportReader
from schemas.approximation_trees import APPROXIMATION_TREES
from schemas.dictionaries import DictionaryRequest
from schemas.label_audits import LABEL_AUDITS
from schemas.noun import Noun
from schemas.prototype_sets import PROTOTYPE_SETS
from service.operations import artefacts
from service.operations.dictionaries import put_dictionary
from service.operations.preconditions import Precondition
from tests.support.api import Json
from tests.support.models import onnx_of
from tests.support.workshop import Workshop, workshop_in

_LABELS = {"rare": "did not pay", "usual": "paid", "third": "paid late"}


@dataclass(frozen=True)
class _Shop:
    """A model of labels of which nothing explains one, and what is made of it."""

    workshop: Workshop
    dataset: str
    made: dict[str, str]  # ids by noun

    def cautions(self, noun: Noun[Any]) -> dict[str, str]:
        """Return what the cautions of an artefact say, by code, as the API answers them."""
        document = artefacts.get_one(self.workshop.context, noun, self.made[noun.name]).model_dump(mode="json")
        assert document["problem"] is None
        return _by_code(document)

    def say(self, **words: Any) -> None:
        put_dictionary(self.workshop.context, self.dataset, DictionaryRequest.model_validate(words), Precondition())


def _by_code(document: Json) -> dict[str, str]:
    return {each["code"]: each["detail"] for each in document["result"]["cautions"]}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Shop]:
    generator = np.random.default_rng(0)
    values = generator.normal(size=(400, 3)).astype(np.float32)
    labels = np.where(values[:, 2] > 0, "third", "usual")
    labels = np.where(generator.random(400) < 0.08, "rare", labels)  # in the midst of both others
    frame = pd.DataFrame(values, columns=["f0", "f0 squared", "f2"]).assign(label=labels)
    forest = RandomForestClassifier(20, min_samples_leaf=40, random_state=0).fit(values, labels)
    with workshop_in(tmp_path_factory.mktemp("cautions")) as workshop:
        model = workshop.register_model(onnx_of(forest, values), feature_names=list(frame.columns[:3]))
        about = {"model": model, "dataset": workshop.register_dataset(frame, target="label")}
        never = [{"feature": name, "thresholds": [1e6]} for name in ("f0 squared", "f2")]
        tree = workshop.grow_tree(**about, method="sta", max_depth=2, max_pseudo_samples=1000, candidates=never)
        made = {
            LABEL_AUDITS.name: workshop.audit(**about, method="neighbors").id,
            PROTOTYPE_SETS.name: workshop.make(**about, n_prototypes=1).id,
            APPROXIMATION_TREES.name: tree.id,
        }
        yield _Shop(workshop, about["dataset"], made)


def test_classes_are_called_as_people_call_them(shop: _Shop) -> None:
    shop.say()
    raw = [(noun, shop.cautions(noun)) for noun in (LABEL_AUDITS, PROTOTYPE_SETS)]
    assert "'rare'" in raw[0][1]["class_not_known"]
    assert any(repr(name) in raw[1][1]["classes_without_prototype"] for name in _LABELS)
    shop.say(outcomes=[{"name": name, "label": label} for name, label in _LABELS.items()])
    for noun, cautions in raw:
        worded = shop.cautions(noun)
        swapped = {code: _swapped(detail) for code, detail in cautions.items()}
        assert worded == swapped
    reader = ReportReader(shop.workshop.context.database, shop.workshop.context.objects)
    shown = reader._made(LABEL_AUDITS, shop.made[LABEL_AUDITS.name])  # what a report shows of it
    assert _by_code(shown) == shop.cautions(LABEL_AUDITS)


def _swapped(detail: str) -> str:
    for name, label in _LABELS.items():
        detail = detail.replace(repr(name), repr(label))
    return detail


def test_a_label_that_is_another_class_s_name_is_not_replaced_again(shop: _Shop) -> None:
    shop.say(outcomes=[{"name": "rare", "label": "usual"}, {"name": "usual", "label": "rare"}])
    assert "labelled 'usual'" in shop.cautions(LABEL_AUDITS)["class_not_known"]


def test_features_of_candidates_have_their_titles_and_hidden_ones_are_not_named(shop: _Shop) -> None:
    shop.say(features=[{"name": "f0 squared", "hidden": True}, {"name": "f2", "label": "income"}])
    detail = shop.cautions(APPROXIMATION_TREES)["candidates_split_nothing"]
    assert "a condition on a hidden feature; income is" in detail
    assert "squared" not in detail
