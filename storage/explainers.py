"""Registered explainers: which model is explained by which prototypes, rules and tree."""

import time
from dataclasses import dataclass

from sqlalchemy import Connection, select

from schemas.explainers import Explainer, ExplainerRequest, ExplainerSummary

from .errors import InUse
from .records import add_record, moment
from .registry import Registry, Row
from .tables import explainer_names, explainers

_PARTS = ("model", "prototype_set", "rule_set", "approximation_tree")


@dataclass(frozen=True, slots=True)
class NewExplainer:
    """An explainer that was checked, ready to be kept."""

    id: str
    request: ExplainerRequest


class ExplainerStore(Registry[NewExplainer, Explainer, Explainer, ExplainerSummary]):
    """Rows of explainers; there is no more to one than what readers get."""

    table = explainers
    listed_columns = ("id", "name", *_PARTS, "created_at")
    uses = (explainer_names.c.explainer,)

    def _insert(self, connection: Connection, new: NewExplainer) -> tuple[str, bool]:
        columns = {name: getattr(new.request, name) for name in ("name", *_PARTS)}
        values = {"id": new.id, **columns, "request": new.request.model_dump(mode="json"), "created_at": time.time()}
        return new.id, add_record(connection, explainers, values)

    def _view(self, row: Row) -> Explainer:
        request = row["request"]
        names = ("shown_features", "abstain_below", "store_explanations")
        return Explainer(**self._summary(row).model_dump(), **{name: request[name] for name in names})

    def _stored(self, row: Row) -> Explainer:
        return self._view(row)

    def _summary(self, row: Row) -> ExplainerSummary:
        columns = {name: row[name] for name in self.listed_columns}
        return ExplainerSummary(**columns | {"created_at": moment(row["created_at"])})

    def _forget_parts(self, connection: Connection, row: Row) -> tuple[str, ...]:
        del connection, row
        return ()

    def _refuse_if_used(self, connection: Connection, identifier: str) -> None:
        names = select(explainer_names.c.id).where(explainer_names.c.explainer == identifier)
        name = connection.execute(names.order_by(explainer_names.c.id)).scalar()
        if name is not None:
            detail = (
                f"explainer {identifier!r} is what the name {name!r} means; "
                f"give /v1/explainer-names/{name} another explainer, or delete that name, first"
            )
            raise InUse(detail)
