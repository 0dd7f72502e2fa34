"""Forms offer what can be made: rows with the model's labels, and models of the same features and classes."""

from service.drawings.documents import VIEWS
from tests.support.api import frame_of
from tests.support.models import fitted

from ..conftest import Shop


def _form(drawing: str, words: str) -> str:
    """Return the first form of this name on a view."""
    form, *_ = (each for each in drawing.split("<form")[1:] if f">{words}<" in each)
    return form[: form.index("</form>")]


def test_forms_offer_rows_of_whose_labels_the_model_knows_all(shop: Shop) -> None:
    workshop, frame = shop.workshop, frame_of(shop.fitted)
    known = workshop.register_dataset(frame.iloc[::2], target="t", name="known")
    labels = frame["t"].astype(str)
    texts = workshop.register_dataset(frame.iloc[::4].assign(t=labels.iloc[::4]), target="t", name="known as texts")
    some = labels.where(frame.index % 9 > 0, "neither")
    others = workshop.register_dataset(frame.iloc[::3].assign(t=some.iloc[::3]), target="t", name="others")

    drawing = VIEWS["models"](workshop.context, shop.model, {})

    for words in ("evaluation", "prototypes", "rules", "one tree", "label audit", "map"):
        form = _form(drawing, words)
        assert known in form
        assert texts in form
        assert others not in form


def test_models_are_compared_with_those_of_the_same_features_and_classes(shop: Shop) -> None:
    workshop, names = shop.workshop, list(shop.fitted.rows.names)
    alike = workshop.register_model(shop.fitted.onnx, feature_names=names, name="alike")
    wider = workshop.register_model(shop.fitted.onnx, feature_names=[f"other {name}" for name in names])
    of_values = workshop.register_model(fitted("random_forest_regression").onnx)

    form = _form(VIEWS["models"](workshop.context, shop.model, {}), "another model")

    assert alike in form
    assert wider not in form
    assert of_values not in form
