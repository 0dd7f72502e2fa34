from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.frozen_decisions import FrozenDecisions


T = TypeVar("T", bound="ReportRequest")


@_attrs_define(repr=False)
class ReportRequest(Record):
    """What a report is about.

    Attributes:
        title (str): Title of the report.
        explainer (str): Id of the explainer whose model, prototypes, rules and tree are shown.
        settings (str | Unset): `paper`: the fields that are left out have the values of the method's paper, as
            docs/methods.md lists them, instead of these defaults, fields of fields included; what is given, null included,
            stands, but for `method: auto`, which leaves the method to the word, too. Answers show the fields that result,
            so that the id is that of the same request in full. Absent: the defaults.
        rule_set (None | str | Unset): Id of a rule set of the same model; null: the explainer's, if it has one.
        approximation_tree (None | str | Unset): Id of an approximation tree of the same model; null: the explainer's,
            if it has one.
        map_ (None | str | Unset): Id of a map of the same model, of which the preview is shown; null: none.
        label_audit (None | str | Unset): Id of a label audit of the same model, shown with its decisions; null: none.
        decisions (FrozenDecisions | None | Unset): Decisions on the label audit; null: those in force now, which are
            then filled in.
        rows (list[str] | Unset): Ids of rows of the reference dataset that are explained, each once: at most 20.
        compare_with (None | str | Unset): Id of an explainer of another model, such as the version before, that is
            compared on the same reference rows; null: none.
        newer_dataset (None | str | Unset): Id of a dataset of newer rows: how many of them are far from every
            prototype, beside the reference rows; null: none.
        note (None | str | Unset): Text of the author, at most 4,000 characters; null: none.
    """

    title: str
    explainer: str
    settings: str | Unset = UNSET
    rule_set: None | str | Unset = UNSET
    approximation_tree: None | str | Unset = UNSET
    map_: None | str | Unset = UNSET
    label_audit: None | str | Unset = UNSET
    decisions: FrozenDecisions | None | Unset = UNSET
    rows: list[str] | Unset = UNSET
    compare_with: None | str | Unset = UNSET
    newer_dataset: None | str | Unset = UNSET
    note: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.frozen_decisions import FrozenDecisions  # noqa: PLC0415

        title = self.title

        explainer = self.explainer

        settings = self.settings

        rule_set: None | str | Unset
        if isinstance(self.rule_set, Unset):
            rule_set = UNSET
        else:
            rule_set = self.rule_set

        approximation_tree: None | str | Unset
        if isinstance(self.approximation_tree, Unset):
            approximation_tree = UNSET
        else:
            approximation_tree = self.approximation_tree

        map_: None | str | Unset
        if isinstance(self.map_, Unset):
            map_ = UNSET
        else:
            map_ = self.map_

        label_audit: None | str | Unset
        if isinstance(self.label_audit, Unset):
            label_audit = UNSET
        else:
            label_audit = self.label_audit

        decisions: dict[str, Any] | None | Unset
        if isinstance(self.decisions, Unset):
            decisions = UNSET
        elif isinstance(self.decisions, FrozenDecisions):
            decisions = self.decisions.to_dict()
        else:
            decisions = self.decisions

        rows: list[str] | Unset = UNSET
        if not isinstance(self.rows, Unset):
            rows = self.rows

        compare_with: None | str | Unset
        if isinstance(self.compare_with, Unset):
            compare_with = UNSET
        else:
            compare_with = self.compare_with

        newer_dataset: None | str | Unset
        if isinstance(self.newer_dataset, Unset):
            newer_dataset = UNSET
        else:
            newer_dataset = self.newer_dataset

        note: None | str | Unset
        if isinstance(self.note, Unset):
            note = UNSET
        else:
            note = self.note

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "title": title,
                "explainer": explainer,
            }
        )
        if settings is not UNSET:
            field_dict["settings"] = settings
        if rule_set is not UNSET:
            field_dict["rule_set"] = rule_set
        if approximation_tree is not UNSET:
            field_dict["approximation_tree"] = approximation_tree
        if map_ is not UNSET:
            field_dict["map"] = map_
        if label_audit is not UNSET:
            field_dict["label_audit"] = label_audit
        if decisions is not UNSET:
            field_dict["decisions"] = decisions
        if rows is not UNSET:
            field_dict["rows"] = rows
        if compare_with is not UNSET:
            field_dict["compare_with"] = compare_with
        if newer_dataset is not UNSET:
            field_dict["newer_dataset"] = newer_dataset
        if note is not UNSET:
            field_dict["note"] = note

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.frozen_decisions import FrozenDecisions  # noqa: PLC0415

        d = dict(src_dict)
        title = d.pop("title")

        explainer = d.pop("explainer")

        settings = d.pop("settings", UNSET)

        def _parse_rule_set(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        rule_set = _parse_rule_set(d.pop("rule_set", UNSET))

        def _parse_approximation_tree(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        approximation_tree = _parse_approximation_tree(d.pop("approximation_tree", UNSET))

        def _parse_map_(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        map_ = _parse_map_(d.pop("map", UNSET))

        def _parse_label_audit(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        label_audit = _parse_label_audit(d.pop("label_audit", UNSET))

        def _parse_decisions(data: object) -> FrozenDecisions | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                decisions_type_0 = FrozenDecisions.from_dict(data)

                return decisions_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(FrozenDecisions | None | Unset, data)

        decisions = _parse_decisions(d.pop("decisions", UNSET))

        rows = cast(list[str], d.pop("rows", UNSET))

        def _parse_compare_with(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        compare_with = _parse_compare_with(d.pop("compare_with", UNSET))

        def _parse_newer_dataset(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        newer_dataset = _parse_newer_dataset(d.pop("newer_dataset", UNSET))

        def _parse_note(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        note = _parse_note(d.pop("note", UNSET))

        report_request = cls(
            title=title,
            explainer=explainer,
            settings=settings,
            rule_set=rule_set,
            approximation_tree=approximation_tree,
            map_=map_,
            label_audit=label_audit,
            decisions=decisions,
            rows=rows,
            compare_with=compare_with,
            newer_dataset=newer_dataset,
            note=note,
        )

        return report_request
