"""The form of a report on one row, be it of a dataset or new."""

from leafspace_drawings import Call

from schemas.reports import REPORTS

from ..app_context import AppContext
from ..operations import explainers
from .documents import at, fitting_datasets, of_model, to_json
from .explanations import RowToExplain
from .forms import form_of_report


def form(context: AppContext, row: RowToExplain) -> str:
    """Draw the form, which begins with the row alone."""
    beside, reported = row.beside, row.reported
    explainer = to_json(explainers.get_explainer(context, beside.explainer_id))
    fitting = fitting_datasets(context, beside.known)
    drawing = form_of_report(context, explainer, beside.dataset, fitting, reported)
    *way, (here, _) = of_model(beside.known, row.title)
    body = {"title": reported.title, "explainer": beside.explainer_id, **reported.body, "parts": []}
    arguments = ", ".join(f"{name}={value!r}" for name, value in (reported.body | {"parts": []}).items())
    python = f'client.reports.create({reported.title!r}, "{beside.explainer_id}", {arguments})'
    call = Call(REPORTS.path, python, "POST", body)
    return at(drawing, [*way, (here, row.address), ("report", None)], call)
