from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.nearest_rows_options import NearestRowsOptions


T = TypeVar("T", bound="ExplanationSetRequest")


@_attrs_define(repr=False)
class ExplanationSetRequest(Record):
    """Which dataset to explain, and by which explainer.

    Attributes:
        explainer (str): Id of the explainer.
        dataset (str): Id of the dataset whose rows are explained.
        n_prototypes (int | Unset): Maximum number of nearest prototypes of each row. Default: 3.
        n_reasons (int | str | Unset):
        include (list[str] | Unset): Optional parts of explanations. `values`: the values of the row and of its nearest
            prototypes; `intervals`: the ends of each reason as numbers; `contrast`: the nearest prototypes of other
            classes, and what the trees test that tell the two apart; `rules`: the rules that apply, if the explainer has a
            rule set; `approximation_path`: the path in the approximation tree, if the explainer has one; `nearest_rows`:
            the nearest of all reference rows, if the explainer has them.
        n_contrasts (int | Unset): Maximum number of other classes in `contrasts`, where `contrast` is included: the
            nearest ones, each by its nearest prototype. Default: 1.
        nearest_rows (NearestRowsOptions | None | Unset): Which rows `nearest_rows` lists, where it is included; null:
            the nearest five.
        detail (str | Unset): `full` gives everything that the explainer has: all reasons, all optional parts, and more
            about each prototype; `n_reasons` and `include` change nothing then. Default: 'short'.
        settings (str | Unset): `paper`: the fields that are left out have the values of the method's paper, as
            docs/methods.md lists them, instead of these defaults, fields of fields included; what is given, null included,
            stands, but for `method: auto`, which leaves the method to the word, too. Answers show the fields that result,
            so that the id is that of the same request in full. Absent: the defaults.
        run_on (str | Unset): Where the job works on the rows: `local`, in the worker's own process; `cluster`, on the
            workers of a Dask cluster (LEAFSPACE_DASK_SCHEDULER); `auto`: on the cluster where one process would need more
            memory than a job may use, and else locally. The result is the same, and so is the id: answers always show
            `auto`. Default: 'auto'.
    """

    explainer: str
    dataset: str
    n_prototypes: int | Unset = 3
    n_reasons: int | str | Unset = UNSET
    include: list[str] | Unset = UNSET
    n_contrasts: int | Unset = 1
    nearest_rows: NearestRowsOptions | None | Unset = UNSET
    detail: str | Unset = "short"
    settings: str | Unset = UNSET
    run_on: str | Unset = "auto"

    def to_dict(self) -> dict[str, Any]:
        from ..models.nearest_rows_options import NearestRowsOptions  # noqa: PLC0415

        explainer = self.explainer

        dataset = self.dataset

        n_prototypes = self.n_prototypes

        n_reasons: int | str | Unset
        if isinstance(self.n_reasons, Unset):
            n_reasons = UNSET
        else:
            n_reasons = self.n_reasons

        include: list[str] | Unset = UNSET
        if not isinstance(self.include, Unset):
            include = self.include

        n_contrasts = self.n_contrasts

        nearest_rows: dict[str, Any] | None | Unset
        if isinstance(self.nearest_rows, Unset):
            nearest_rows = UNSET
        elif isinstance(self.nearest_rows, NearestRowsOptions):
            nearest_rows = self.nearest_rows.to_dict()
        else:
            nearest_rows = self.nearest_rows

        detail = self.detail

        settings = self.settings

        run_on = self.run_on

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "explainer": explainer,
                "dataset": dataset,
            }
        )
        if n_prototypes is not UNSET:
            field_dict["n_prototypes"] = n_prototypes
        if n_reasons is not UNSET:
            field_dict["n_reasons"] = n_reasons
        if include is not UNSET:
            field_dict["include"] = include
        if n_contrasts is not UNSET:
            field_dict["n_contrasts"] = n_contrasts
        if nearest_rows is not UNSET:
            field_dict["nearest_rows"] = nearest_rows
        if detail is not UNSET:
            field_dict["detail"] = detail
        if settings is not UNSET:
            field_dict["settings"] = settings
        if run_on is not UNSET:
            field_dict["run_on"] = run_on

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.nearest_rows_options import NearestRowsOptions  # noqa: PLC0415

        d = dict(src_dict)
        explainer = d.pop("explainer")

        dataset = d.pop("dataset")

        n_prototypes = d.pop("n_prototypes", UNSET)

        def _parse_n_reasons(data: object) -> int | str | Unset:
            if isinstance(data, Unset):
                return data
            return cast(int | str | Unset, data)

        n_reasons = _parse_n_reasons(d.pop("n_reasons", UNSET))

        include = cast(list[str], d.pop("include", UNSET))

        n_contrasts = d.pop("n_contrasts", UNSET)

        def _parse_nearest_rows(data: object) -> NearestRowsOptions | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                nearest_rows_type_0 = NearestRowsOptions.from_dict(data)

                return nearest_rows_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(NearestRowsOptions | None | Unset, data)

        nearest_rows = _parse_nearest_rows(d.pop("nearest_rows", UNSET))

        detail = d.pop("detail", UNSET)

        settings = d.pop("settings", UNSET)

        run_on = d.pop("run_on", UNSET)

        explanation_set_request = cls(
            explainer=explainer,
            dataset=dataset,
            n_prototypes=n_prototypes,
            n_reasons=n_reasons,
            include=include,
            n_contrasts=n_contrasts,
            nearest_rows=nearest_rows,
            detail=detail,
            settings=settings,
            run_on=run_on,
        )

        return explanation_set_request
