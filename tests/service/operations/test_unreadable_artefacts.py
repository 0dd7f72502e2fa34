"""An artefact that is kept in a form that this version does not read: it is shown as such, and nothing else suffers."""

from pathlib import Path

import pytest
from sqlalchemy import select, update

from schemas.prototype_sets import PROTOTYPE_SETS
from service.drawings import views
from service.operations import artefacts
from storage.errors import StorageError
from storage.tables import artefacts as rows
from tests.support.api import frame_of
from tests.support.models import fitted
from tests.support.workshop import workshop_in


def test_it_is_listed_as_failed_and_the_overview_and_all_others_are_shown(tmp_path: Path) -> None:
    tree = fitted("decision_tree_binary")
    with workshop_in(tmp_path) as workshop:
        context = workshop.context
        model = workshop.register_model(tree.onnx, feature_names=list(tree.rows.names), ensemble="other")
        dataset = workshop.register_dataset(frame_of(tree), target="t")
        kept, changed = (
            workshop.make(model=model, dataset=dataset, n_prototypes=number, proximity_kind="random_forest").id
            for number in (3, 4)
        )
        with context.database.transaction() as connection:
            request = connection.execute(select(rows.c.request).where(rows.c.id == changed)).scalar_one()
            later = {**request, "of_another_version": 1}
            connection.execute(update(rows).where(rows.c.id == changed).values(request=later))

        listed = {view.id: view for view in artefacts.list_all(context, PROTOTYPE_SETS, 10, None).data}

        assert listed[kept].status == "ready"
        assert listed[changed].status == "failed"
        problem = listed[changed].problem
        assert problem is not None
        assert "does not read: delete it and request it again" in problem.detail
        assert listed[changed].model_dump(mode="json")["problem"]["code"] == "object_damaged"
        assert kept in views.overview(context)
        with pytest.raises(StorageError, match="does not read") as refused:
            artefacts.get_one(context, PROTOTYPE_SETS, changed)
        assert refused.value.code == "object_damaged"
        assert artefacts.get_one(context, PROTOTYPE_SETS, kept).result is not None
