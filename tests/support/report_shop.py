"""A workshop with two models of the same rows, and everything that a report on the first can show."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from explanations.warm_explainer import WarmExplainer, warm_up
from schemas.label_audits import LABEL_AUDITS
from schemas.label_decisions import LabelDecisionRequest
from schemas.maps import MapRequest
from schemas.reports import REPORTS, Report, ReportRequest
from service.operations import artefacts
from service.operations.label_decisions import decide
from service.operations.maps import request_map
from service.operations.preconditions import Precondition
from service.operations.reports import request_report, verify_report

from .api import frame_of
from .models import fitted
from .workshop import Workshop, result_of, workshop_in

_FEW_TREES = {"method": "cart", "max_depth": 2, "max_pseudo_samples": 1000}


@dataclass(frozen=True)
class Shop:
    """A workshop with two models of the same rows, and everything that explains the first."""

    workshop: Workshop
    model: str
    dataset: str
    audit: str
    map: str
    comparison: str
    evaluation: str
    explainer: str
    other: str  # the explainer of the other model
    newer: str
    newer_rows: pd.DataFrame

    def make(self, **request: object) -> Report:
        """Request a report, do its job if there is one, and return what came of it."""
        whole = ReportRequest.model_validate({"title": "Tumours, March", "explainer": self.explainer, **request})
        requested = request_report(self.workshop.context, whole)
        if requested.status == "pending":
            self.workshop.run(requested.job or "")
        return artefacts.get_one(self.workshop.context, REPORTS, requested.id)

    def everything(self) -> Report:
        return self.make(
            rows=["3", "17"],
            label_audit=self.audit,
            map=self.map,
            comparison=self.comparison,
            evaluation=self.evaluation,
            compare_with=self.other,
            newer_dataset=self.newer,
            note="For the file.\nSecond line.",
        )

    def file(self, made: Report) -> str:
        context = self.workshop.context
        kept = context.artefacts.get(REPORTS.name, made.id)
        return context.objects.get(kept.files["document"]).decode()

    def verify(self, made: Report) -> Any:  # a ReportVerification
        return asyncio.run(verify_report(self.workshop.context, made.id))

    def warm(self) -> WarmExplainer:
        """Return the explainer, as calls for single rows use it."""
        context = self.workshop.context
        return warm_up(self.explainer, context.database, context.objects, context.sessions.get)


@contextmanager
def shop_in(directory: Path) -> Iterator[Shop]:
    """Yield the workshop, whose data are below a directory."""
    forest, other = fitted("random_forest_binary"), fitted("decision_tree_binary")
    names = list(forest.rows.names)
    frame = frame_of(forest)
    newer = frame.drop(columns="t").iloc[:200] * np.linspace(1, 3, 200)[:, None]
    with workshop_in(directory) as workshop:
        dataset = workshop.register_dataset(frame, target="t")
        models = [
            workshop.register_model(each.onnx, feature_names=names, ensemble="random_forest", name=name)
            for each, name in ((forest, "the new one"), (other, "the old one"))
        ]
        explainers: list[str] = []
        for model in models:
            about: dict[str, Any] = {"model": model, "dataset": dataset}
            made = workshop.make(**about, n_prototypes=5)
            tree = workshop.grow_tree(**about, **_FEW_TREES)
            rules = workshop.find_rules(**about, max_rules=3)
            parts = {"prototype_set": made.id, "approximation_tree": tree.id, "rule_set": rules.id}
            explainers.append(workshop.register_explainer(model=model, **parts))
        audit = workshop.audit(model=models[0], dataset=dataset).id
        suspect = result_of(artefacts.get_one(workshop.context, LABEL_AUDITS, audit)).rows[0].row
        decide(workshop.context, audit, suspect, LabelDecisionRequest(decision="keep", note="seen"), Precondition())
        kept = workshop.register_dataset(newer)
        laid = request_map(workshop.context, MapRequest(model=models[0], dataset=dataset, n_rows=40, n_neighbors=12))
        workshop.run(laid.job or "")
        compared = workshop.compare(model=models[0], other_model=models[1], dataset=dataset).id
        evaluation = workshop.evaluate(model=models[0], dataset=dataset, group_by=[names[0]]).id
        own, another = explainers
        yield Shop(workshop, models[0], dataset, audit, laid.id, compared, evaluation, own, another, kept, newer)


def text_of(html: str) -> str:
    """Return the words of a report."""
    body = html.partition("<main>")[2]
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split()).replace("“ ", "“").replace(" ”", "”")
