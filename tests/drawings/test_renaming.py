"""Models and datasets get another name where a view has a form for it."""

from leafspace_drawings import DatasetContext, ModelContext, draw_dataset, draw_model, renaming

from .documents import document


def test_the_name_is_a_field_with_the_present_one() -> None:
    model, dataset = document("Model") | {"name": "first & best"}, document("Dataset") | {"name": None}
    forms = renaming(model, "models"), renaming(dataset, "datasets")
    of_model = draw_model(model, ModelContext(renaming=forms[0]))
    of_dataset = draw_dataset(dataset, DatasetContext(renaming=forms[1]))
    for drawing, path in ((of_model, f"/v1/models/{model['id']}"), (of_dataset, f"/v1/datasets/{dataset['id']}")):
        form = drawing.partition(f'data-path="{path}"')[2].partition("</form>")[0]
        assert 'data-method="PATCH"' in form
        assert "<button>Save</button>" in form
    assert 'value="first &amp; best" data-field="name"' in of_model
    assert "<form" not in draw_dataset(dataset, DatasetContext())
