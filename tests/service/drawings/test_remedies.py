"""What a caution or a warning asks for can be done where it stands, or the page says why there is nothing to do."""

import inspect
import re
from importlib import import_module
from pkgutil import iter_modules
from types import SimpleNamespace
from typing import Any, get_args

import pytest
from leafspace_drawings import Links, draw_model, pictures
from leafspace_drawings.model import ModelContext
from leafspace_drawings.remedies import (
    CAUTION_KINDS,
    WARNING_REMEDIES,
    note_of_one,
    remedy_of,
    warnings_with_remedies,
)
from leafspace_drawings.words import sentence

import schemas
from schemas.approximation_trees import ApproximationTreeRequest
from schemas.cautions import Caution, CautionCode
from schemas.evidence import TRAINING_NOT_KNOWN
from schemas.explanations import RowWarning
from schemas.prototype_sets import PROTOTYPE_SETS
from schemas.relational_datasets import RelationalWarning
from service.drawings.documents import VIEWS, to_json
from service.drawings.remedies import forms_of_cautions
from tests.drawings.documents import document
from tests.support.api import frame_of
from tests.support.workshop import result_of
from tree_explainers.errors import MethodNotApplicable
from workers.jobs import (
    approximation_trees,
    cautions,
    comparison_of_datasets,
    comparison_rows,
    comparisons,
    evaluations,
    label_audits,
    maps,
    prototype_set_evaluation,
    prototype_sets,
)

from ..conftest import Shop

_Data = SimpleNamespace


def _agreements() -> list[Caution | None]:
    constant = _Data(fidelity=0.8, balanced_fidelity=0.5, model_prediction="good")
    return [
        cautions.caution_of_agreement(_Data(fidelity=share, balanced_fidelity=balanced), constant)
        for share, balanced in ((0.8, 0.51), (0.8, 0.7))
    ]


def _figures() -> list[Caution | None]:
    known = [(0.7, None), (1.0, None), (None, 0.5), (None, 1.0), (None, None)]
    figures = [cautions.caution_of_figures(accuracy=one, r2=two, are_held_out=False) for one, two in known]
    return [*figures, cautions.caution_of_figures(accuracy=1.0, r2=None, are_held_out=True)]


def _of_memory() -> list[Caution | None]:
    consequences = (evaluations._MEMORY, comparisons._MEMORY, label_audits._RANKING_IS_WEAKER)
    figures: list[dict[str, float]] = [{"accuracy": 1.0}, {"r2": 1.0}]
    return [cautions.caution_of_memory(each, **figure) for each in consequences for figure in figures]


def _of_evaluations() -> list[Caution]:
    import numpy as np

    view, labels = _Data(held_out=False), np.zeros(2, np.int64)
    truth = _Data(values=None, classes=labels)
    rows: Any = _Data(
        stored=_Data(view=view), truth=truth, labels=labels, errors=np.zeros(2), n_rows=2, classes=["good", "bad"]
    )
    return evaluations._cautions(rows)


def _of_prototypes() -> list[Caution | None]:
    import numpy as np

    of: Any = prototype_set_evaluation
    steps = [_Data(coverage=0.1)]
    covered = _Data(share=0.2)
    model = _Data(by_outcome=True, view=_Data(classes=["approve", "decline"]))
    return [
        of.caution_of_row_coverage(_Data(coverage=0.9), [], covered),
        of.caution_of_row_coverage(_Data(coverage=None), steps, covered),
        of.caution_of_outcomes(_Data(space=_Data(model=model), classes=np.array([0]))),
        of.caution_of_classes(["a"]),
        of.caution_of_classes([str(number) for number in range(50)]),
        prototype_sets._SELECTED_ON_THEM,
        prototype_sets._NUMBER_CHOSEN_ON_THEM,
    ]


def _of_trees() -> list[Caution | None]:
    of: Any = approximation_trees
    generator = {"method": "dataset", "dataset": "ds_2"}
    request = ApproximationTreeRequest(model="mdl_1", dataset="ds_1", evaluation_dataset="ds_2", generator=generator)
    tests = [[True], [True, False], [True, True], [True, False, False]]
    trees = [_Data(nodes=[_Data(confidence=_Data(at_cap=each)) for each in some]) for some in tests]
    return [
        of._caution_of_generator(request),
        *(of.caution_of_tests(request, tree) for tree in trees),
        of.caution_of_candidates(["x > 1"], 1, None),
        of.caution_of_candidates(["x > 1"] * 20, 5, None),
    ]


def _of_audits() -> list[Caution]:
    import numpy as np

    of: Any = label_audits
    view = _Data(classes=["good", "bad"])
    audited = _Data(
        estimate=_Data(wrong=_Data(number=3, low=0, high=9)),
        audit=_Data(suggested=np.array([1, -1])),
        labels=np.array([0, 1]),
        space=_Data(model=_Data(view=view)),
    )
    cautions_: list[Caution] = of._cautions(audited, 1.0, [_Data(unopposed=0.9), _Data(unopposed=0.2)])
    return cautions_


def _all_cautions() -> list[Caution]:
    """Return cautions of every code, by the code that makes them."""
    known = [
        *_agreements(),
        *_figures(),
        *_of_memory(),
        *_of_evaluations(),
        *_of_prototypes(),
        *_of_trees(),
        *_of_audits(),
        comparison_of_datasets._TRAINED_ON,
        comparison_rows.caution_of_no_effects(MethodNotApplicable("Effects need scores that are sums over the trees")),
        maps._CAUTION,
        TRAINING_NOT_KNOWN,
    ]
    return [each for each in known if each is not None]


_CAUTIONS = _all_cautions()
_CODES = set(get_args(CautionCode))


def _documents(*some: Caution | None) -> list[dict[str, Any]]:
    return [each.model_dump() for each in some if each is not None]


def test_every_code_of_a_caution_is_made_somewhere_and_has_a_remedy() -> None:
    assert {each.code for each in _CAUTIONS} == _CODES
    assert set(CAUTION_KINDS) == _CODES


def test_every_kind_has_a_link_or_a_reason_where_no_form_can_be_offered() -> None:
    for code, kind in CAUTION_KINDS.items():
        assert (kind.link is None) != (kind.reason == ""), code
        offered = remedy_of(code, Links(""), {}, "lba_1")
        assert offered
        assert offered.link or offered.reason
        assert remedy_of(code, Links()) is None


def test_why_no_effects_are_compared_is_said_within_one_sentence() -> None:
    caution = comparison_rows.caution_of_no_effects(MethodNotApplicable("Effects need sums; these are none."))
    assert caution.detail == "no effects are compared: effects need sums; these are none"


def test_a_caution_that_this_page_does_not_know_is_shown_with_its_words() -> None:
    note = note_of_one([{"code": "of_a_later_release", "detail": "new", "remedy": None}], Links(""))
    assert [(line.text, len(line.remedies)) for line in note.lines] == [("New.", 1)]


def test_each_caution_is_a_line_of_its_own_and_names_no_field_where_it_can_be_answered() -> None:
    for caution in _CAUTIONS:
        (line,) = note_of_one(_documents(caution), Links("")).lines
        assert line.text.lower() == sentence(caution.detail).lower()
        assert re.findall(r"evaluation_dataset|sm_u|held_out|^Dataset ", line.text) == []
        (filed,) = note_of_one(_documents(caution), Links()).lines
        assert filed.text.lower() == sentence(caution.text).lower()


def test_a_remedy_of_several_cautions_stands_once_behind_the_last_of_them() -> None:
    made = _documents(*_of_evaluations())
    note = note_of_one(made, Links(""), {"other_rows": "the form"})
    assert len(note.lines) == len(made) > 1
    assert note.forms == ["the form"]
    linked = note_of_one(_documents(comparison_of_datasets._TRAINED_ON, _figures()[0]), Links(""))
    assert [len(line.remedies) for line in linked.lines] == [0, 1]
    assert linked.forms == []


def _codes_of_warnings() -> set[str]:
    """Return the codes of all warnings of the contract that views show."""
    codes = set(re.findall(r"`([a-z_]+)` \(", RowWarning.model_fields["code"].description or ""))
    for module in iter_modules(schemas.__path__, f"{schemas.__name__}."):
        for name, message in inspect.getmembers(import_module(module.name), inspect.isclass):
            # No view shows a relational dataset: its warnings are in the answer to its registration.
            if name.endswith("Warning") and hasattr(message, "model_fields") and message is not RelationalWarning:
                codes |= set(get_args(message.model_fields["code"].annotation))
    return codes


def test_every_code_of_a_warning_has_a_link_or_a_reason() -> None:
    codes = _codes_of_warnings()
    assert codes >= {"near_tie", "no_better_than_constant", "unused_ensembles"}
    assert codes == set(WARNING_REMEDIES)
    warnings = [{"code": code, "detail": f"{code} {number}"} for code in sorted(codes) for number in (1, 2)]
    shown = list(warnings_with_remedies(warnings, Links("")))
    assert [bool(remedy) for _, remedy in shown] == [False, True] * len(codes)
    assert all(remedy is None for _, remedy in warnings_with_remedies(warnings, Links()))
    model = document("Model") | {"warnings": warnings}
    drawn = draw_model(model, ModelContext(links=Links("")))
    assert drawn.count(str(WARNING_REMEDIES["unused_ensembles"])) == 1


@pytest.mark.parametrize("kind", sorted(kind for kind, each in pictures().items() if each.is_made_of_rows))
def test_every_kind_of_result_shows_what_can_be_done_about_each_of_its_cautions(kind: str) -> None:
    found = document(kind.title().replace("_", ""))
    picture = pictures()[found["object"]]
    for caution in _CAUTIONS:
        found["result"]["cautions"] = _documents(caution)
        drawn = picture.draw(found, picture.beside(links=Links("")))
        remedy = remedy_of(caution.code, Links(""))
        assert remedy is not None
        assert (f">{remedy.link[1]}</a>" if remedy.link else remedy.reason) in drawn


def test_a_label_audit_leads_to_its_review() -> None:
    found = document("LabelAudit")
    found["result"]["cautions"] = _documents(*_of_audits())
    picture = pictures()["label_audit"]
    drawn = picture.draw(found, picture.beside(links=Links("")))
    assert f'<a href="#/reviews/{found["id"]}">Review them one by one</a>' in drawn


def test_what_is_made_again_keeps_its_rows_its_proximity_and_its_seed() -> None:
    found = document("PrototypeSet")
    found["request"] |= {"proximity_kind": "ensemble", "seed": 5, "evaluation_dataset": "held-out"}
    found["result"]["cautions"] = _documents(*_of_prototypes())

    (form,) = [form for form in forms_of_cautions(PROTOTYPE_SETS, found, []).values() if form.words != "measure"]

    kept = ("model", "dataset", "evaluation_dataset", "proximity_kind", "seed")
    assert dict(form.body) == {name: found["request"][name] for name in kept}


def test_other_rows_a_larger_one_and_another_method_are_requested_beside_the_caution(shop: Shop) -> None:
    about = {"model": shop.model, "dataset": shop.dataset}
    workshop, frame = shop.workshop, frame_of(shop.fitted)
    evaluated = workshop.evaluate(**about)
    audited = workshop.audit(**about)
    compared = workshop.compare(**about, other_dataset=workshop.register_dataset(frame.iloc[::3], target="t"))
    foreign = frame.rename(columns={"t": "outcome"})
    workshop.register_dataset(foreign, target="outcome", held_out=True, name="of another target")
    assert result_of(evaluated).cautions
    assert result_of(audited).cautions
    assert result_of(compared).cautions
    others = workshop.register_dataset(frame.iloc[::2], target="t", held_out=True, name="others")
    reviewed = VIEWS["reviews"](workshop.context, audited.id, {})
    assert "wrong ones stand out less" in reviewed[reviewed.index("How far its suggestions can be trusted") :]
    for part, made, asked in (
        ("evaluations", evaluated, others),
        ("comparisons", compared, others),
        ("audits", audited, "nearest rows"),
    ):
        drawn = VIEWS[part](workshop.context, made.id, {})
        note = drawn[drawn.index('<div class="ls-note ls-warn">') :]
        form = note[: note.index("</form>")]
        assert asked in form, part
        assert to_json(made)["request"]["model"] in form
        assert "of another target" not in form
