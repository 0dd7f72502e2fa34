"""Reports: what is known of a model in one HTML file, which can be filed and verified later."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from .artefacts import ArtefactView, AwaitableArtefact, BlockingArtefact, Content, content, download
from .calls import Program, awaitable, blocking, create, fetch
from .contract.reports import (
    create_report,
    delete_report,
    get_report,
    get_report_content,
    list_reports,
    verify_report,
)
from .nested_rows import nested_instances
from .nouns import AsyncDeletable, Collection, Identified, Noun, Settings, SyncDeletable, id_of, id_or_none, unless_none
from .rows import id_text, index_names, instances_of, names_of, sent
from .types import Drift, ReportComparison, ReportParts, ReportRequest, ReportVerification
from .types import Report as Details

REPORTS: Noun[Details] = Noun(get_report, list_reports, delete_report)
_FORM = "html"
Kept = TypeVar("Kept")


class ReportView(ArtefactView[Details]):
    """A report as it was when it was last fetched; ``details`` has all fields that the service sends."""

    noun = REPORTS
    _figures: ClassVar[Mapping[str, str]] = {
        "sha256": "SHA-256",
        "n_bytes": "bytes",
        "parts": "parts",
        "inputs": "things shown",
    }
    contents = Content(get_report_content, {_FORM: "text/html"})

    @property
    def sha256(self) -> str:
        """SHA-256 of the file."""
        sha256: str = self._part("sha256")
        return sha256

    @property
    def summary(self) -> list[str]:
        """A few sentences with which the report begins."""
        summary: list[str] = self._part("summary")
        return summary

    @property
    def comparison(self) -> ReportComparison | None:
        """The other model beside this one, where one was named."""
        comparison: ReportComparison | None = self._part("comparison")
        return comparison

    @property
    def drift(self) -> Drift | None:
        """The newer rows beside the reference rows, where some were named."""
        drift: Drift | None = self._part("drift")
        return drift


def _save(self: ReportView, path: str | Path) -> Program[Path]:
    """Write the file, which needs nothing else and runs no script, and return its path.

    Raises
    ------
    CannotWrite
        If the file cannot be written there.
    """
    return (yield from download(self, path, _FORM))


def _content(self: ReportView) -> Program[bytes]:
    """Return the file's bytes."""
    return (yield from content(self, _FORM))


def _verify(self: ReportView) -> Program[ReportVerification]:
    """Have the report drawn again from what it shows, and compared byte for byte with the file that is kept."""
    return (yield from fetch(verify_report(self.id)))


def _create(  # what a report may show, all but the first two with defaults
    self: Collection[Details, Kept],
    title: str,
    explainer: Identified,
    *,
    author: str | None = None,
    date: str | None = None,
    verdict: str | None = None,
    rule_set: Identified | None = None,
    approximation_tree: Identified | None = None,
    map: Identified | None = None,  # noqa: A002  # as the field is called
    label_audit: Identified | None = None,
    comparison: Identified | None = None,
    evaluation: Identified | None = None,
    rows: Iterable[Any] = (),
    rows_dataset: Identified | None = None,
    instances: Any = None,  # DataFrames, arrays, dicts, lists
    instance_ids: Iterable[Any] | None = None,
    parts: Sequence[ReportParts] | None = None,
    compare_with: Identified | None = None,
    newer_dataset: Identified | None = None,
    note: str | None = None,
    settings: Settings | None = None,
) -> Program[Kept]:
    """Request a report; call ``wait()`` on what is returned, then ``save("report.html")``.

    The same request again is free: it gives the report that is made, or being made. On another day, or by a key of
    another name, it is another request where ``date`` or ``author`` is left out.

    Parameters
    ----------
    title
        Title of the report.
    explainer
        Whose model, prototypes, rules and tree are shown: what creating it returned, or its id.
    author
        Who answers for the report, at most 255 characters; default: the name of the key, where keys are required.
    date
        Day of the report, such as ``"2026-03-01"``; default: the day of the request, in UTC.
    verdict
        What the author concludes, at most 1,000 characters; default: the report states that none is given.
    rule_set, approximation_tree
        Others of the same model; default: the explainer's, if it has them.
    map
        A map of the same model.
    comparison
        A comparison of the same model with another, in either order, or of two datasets by it.
    evaluation
        An evaluation of the same model: how well it predicts, and where it is wrong; default: the newest one on rows
        that are declared as held out, if there is one; ``"none"``: none.
    label_audit
        A label audit of the same model, shown with the decisions that are in force now.
    rows
        Ids of rows of the reference dataset, or of ``rows_dataset``, that are explained, at most 20.
    rows_dataset
        The registered dataset that ``rows`` are of; default: the reference dataset.
    instances
        Rows that are in no dataset and are explained, too, as ``explain`` takes them: the report says that they came by
        their values, which the service keeps with the request.
    instance_ids
        What these are called, each otherwise; default: as the index of a DataFrame or the names of Series call them, or
        else by numbers from 1 on.
    parts
        Which parts about the model as a whole are shown: some of ``"model"``, ``"evaluation"``, ``"prototypes"``,
        ``"rules"`` and ``"tree"``, or none (``()``), so that the report is about its rows; default: all of them.
    compare_with
        An explainer of another model, such as the version before, which is compared on the same reference rows.
    newer_dataset
        Newer rows: how many of them are far from every prototype, beside the reference rows.
    note
        A text of the author's, at most 4,000 characters.
    settings
        ``"paper"`` is taken as everywhere; papers say nothing about reports.
    """
    values, names = _sent(instances, instance_ids)
    request = ReportRequest(
        title=title,
        explainer=id_of(explainer),
        author=author,
        date=date,
        verdict=verdict,
        rule_set=id_or_none(rule_set),
        approximation_tree=id_or_none(approximation_tree),
        map_=id_or_none(map),
        comparison=unless_none(id_or_none(comparison)),
        evaluation=unless_none(id_or_none(evaluation)),
        label_audit=id_or_none(label_audit),
        rows=[id_text(row, f"rows[{place}]") for place, row in enumerate(rows)],
        rows_dataset=unless_none(id_or_none(rows_dataset)),
        instances=unless_none(values),
        instance_ids=unless_none(names),
        parts=unless_none(None if parts is None else list(parts)),
        compare_with=id_or_none(compare_with),
        newer_dataset=id_or_none(newer_dataset),
        note=note,
        settings=unless_none(settings),
    )
    return self._wrapped((yield from create(create_report(body=request))))


def _sent(rows: Any, row_ids: Iterable[Any] | None) -> tuple[list[Any] | None, list[str] | None]:
    """Return rows of any form as they are sent, and what they are called where that is known."""
    if rows is None:
        return None, None if row_ids is None else list(row_ids)
    examples = nested_instances(rows)
    instances = instances_of(rows) if examples is None else examples
    if row_ids is not None:
        return sent(instances), names_of(row_ids, len(instances), "instance_ids")
    return sent(instances), index_names(rows, "validation_failed", "instance_ids") if examples is None else None


class Report(ReportView, BlockingArtefact):
    """A report, for the blocking client."""

    save = blocking(_save)  # type: ignore[arg-type]  # the file that is kept, and not a drawing
    content = blocking(_content)
    verify = blocking(_verify)


class AsyncReport(ReportView, AwaitableArtefact):
    """A report, for the async client."""

    save = awaitable(_save)  # type: ignore[arg-type, assignment]  # see above
    content = awaitable(_content)
    verify = awaitable(_verify)


class Reports(SyncDeletable[Details, Report, Report]):
    """All reports, newest first."""

    noun = REPORTS
    view = Report
    create = blocking(_create)


class AsyncReports(AsyncDeletable[Details, AsyncReport, AsyncReport]):
    """All reports, newest first."""

    noun = REPORTS
    view = AsyncReport
    create = awaitable(_create)
