"""What a caution or a warning asks for can be done where it stands, or the page says why there is nothing to do."""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import SimpleNamespace
from typing import Any, get_args

import pytest
from leafspace_drawings import Links, draw_model, pictures
from leafspace_drawings.model import ModelContext
from leafspace_drawings.remedies import (
    CAUTION_KINDS,
    WARNING_REMEDIES,
    kinds_of,
    note_of_one,
    phrases_of,
    remedies_of,
    warnings_with_remedies,
)

import schemas
import workers.jobs
from schemas.approximation_trees import ApproximationTreeRequest
from schemas.evidence import CAUTION
from schemas.explanations import RowWarning
from schemas.prototype_sets import PROTOTYPE_SETS
from schemas.relational_datasets import RelationalWarning
from service.drawings.documents import VIEWS, to_json
from service.drawings.remedies import forms_of_cautions
from tests.drawings.documents import document
from tests.support.api import frame_of
from tests.support.workshop import result_of
from workers.jobs import (
    approximation_trees,
    cautions,
    comparison_of_datasets,
    comparisons,
    evaluations,
    label_audits,
    maps,
    prototype_set_evaluation,
    prototype_sets,
)

from ..conftest import Shop

_Data = SimpleNamespace


def _agreements() -> list[str | None]:
    constant = _Data(fidelity=0.8, balanced_fidelity=0.5, model_prediction="good")
    return [
        cautions.caution_of_agreement(_Data(fidelity=share, balanced_fidelity=balanced), constant)
        for share, balanced in ((0.8, 0.51), (0.8, 0.7))
    ]


def _figures() -> list[str | None]:
    known = [(0.7, None), (1.0, None), (None, 0.5), (None, 1.0), (None, None)]
    figures = [cautions.caution_of_figures(accuracy=one, r2=two, are_held_out=False) for one, two in known]
    return [*figures, cautions.caution_of_figures(accuracy=1.0, r2=None, are_held_out=True)]


def _of_memory() -> list[str | None]:
    consequences = (evaluations._MEMORY, comparisons._MEMORY, label_audits._RANKING_IS_WEAKER)
    figures: list[dict[str, float]] = [{"accuracy": 1.0}, {"r2": 1.0}]
    return [cautions.caution_of_memory(each, **figure) for each in consequences for figure in figures]


def _of_evaluations() -> list[str]:
    import numpy as np

    view, labels = _Data(held_out=False), np.zeros(2, np.int64)
    truth = _Data(values=None, classes=labels)
    rows: Any = _Data(
        stored=_Data(view=view), truth=truth, labels=labels, errors=np.zeros(2), n_rows=2, classes=["good", "bad"]
    )
    return evaluations._cautions(rows)


def _of_prototypes() -> list[str | None]:
    import numpy as np

    of: Any = prototype_set_evaluation
    steps = [_Data(coverage=0.1)]
    covered = _Data(share=0.2)
    model = _Data(by_outcome=True, view=_Data(classes=["approve", "decline"]))
    return [
        of.caution_of_row_coverage(_Data(coverage=0.9), [], covered),
        of.caution_of_row_coverage(_Data(coverage=None), steps, covered),
        of.caution_of_outcomes(_Data(space=_Data(model=model), classes=np.array([0]))),
        of._caution_of_classes(["a"]),
        of._caution_of_classes([str(number) for number in range(50)]),
        of.TYPICALITY_OF_MEMORISED_ROWS,
        prototype_sets._SELECTED_ON_THEM,
        prototype_sets._NUMBER_CHOSEN_ON_THEM,
    ]


def _of_trees() -> list[str | None]:
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


def _of_audits() -> list[str]:
    import numpy as np

    of: Any = label_audits
    view = _Data(classes=["good", "bad"])
    audited = _Data(
        estimate=_Data(wrong=_Data(number=3, low=0, high=9)),
        audit=_Data(suggested=np.array([1, -1])),
        labels=np.array([0, 1]),
        space=_Data(model=_Data(view=view)),
    )
    return [str(of._caution(audited, 1.0, [_Data(unopposed=0.9), _Data(unopposed=0.2)]))]


def _sentences() -> list[str]:
    """Return the text of each caution, by the code that writes it."""
    texts = [
        *_agreements(),
        *_figures(),
        *_of_memory(),
        *_of_evaluations(),
        *_of_prototypes(),
        *_of_trees(),
        *_of_audits(),
        comparison_of_datasets._TRAINED_ON,
        "no effects are compared: Effects need scores that are sums over the trees",
        maps._CAUTION,
        CAUTION,
    ]
    assert None not in texts
    return [str(text) for text in texts]


_SENTENCES = _sentences()
_LEAST_CHARACTERS = 20  # of a piece of a sentence that identifies it


def _written_pieces() -> set[str]:
    """Return the pieces of all sentences that code about cautions has, in jobs."""
    pieces: set[str] = set()
    for module in iter_modules(workers.jobs.__path__, f"{workers.jobs.__name__}."):
        tree = ast.parse(Path(str(inspect.getsourcefile(import_module(module.name)))).read_text(encoding="utf-8"))
        constants = {
            target.id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(tree):
            if _is_about_cautions(node):
                named = [
                    constants[each.id] for each in ast.walk(node) if isinstance(each, ast.Name) and each.id in constants
                ]
                pieces |= {piece for part in (node, *named) for piece in _pieces(part)}
    return pieces


def _is_about_cautions(node: ast.AST) -> bool:
    if isinstance(node, ast.FunctionDef):
        return "caution" in node.name
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):  # a docstring
        return False
    return isinstance(node, ast.Assign | ast.Expr | ast.keyword) and "caution" in ast.unparse(node).lower()


def _pieces(node: ast.AST) -> set[str]:
    body = node.body[1:] if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) else [node]
    found = [each.value for one in body for each in ast.walk(one) if isinstance(each, ast.Constant)]
    return {
        piece
        for each in found
        if isinstance(each, str)
        for piece in re.split(r"[{}\n]", each)
        if len(piece) >= _LEAST_CHARACTERS
    }


def test_no_caution_is_written_that_is_not_among_these() -> None:
    written = _written_pieces()
    every = " | ".join(_SENTENCES)
    assert len(written) > len(CAUTION_KINDS)
    assert [piece for piece in sorted(written) if piece.lower() not in every.lower()] == []


def test_every_caution_is_of_a_kind_and_every_kind_is_some_cautions() -> None:
    assert [text for text in _SENTENCES if not kinds_of(text)] == []
    found = {kind.code for text in _SENTENCES for kind in kinds_of(text)}
    assert found == {kind.code for kind in CAUTION_KINDS}


def test_every_kind_has_a_link_or_a_reason_where_no_form_can_be_offered() -> None:
    for kind in CAUTION_KINDS:
        assert (kind.link is None) != (kind.reason == ""), kind.code
    for text in _SENTENCES:
        offered = remedies_of(text, Links(""), {}, "lba_1")
        assert offered
        assert all(each.link or each.reason for each in offered)
        assert remedies_of(text, Links(), {}) == []


def test_cautions_that_are_joined_in_one_text_are_lines_of_their_own() -> None:
    each = [str(text) for text in [*_agreements(), *_figures(), *_of_prototypes()]]
    assert phrases_of("; ".join(each)) == each
    of_trees = [text for text in [*_agreements(), *_figures(), *_of_trees()] if text is not None]
    assert [text.lower() for text in phrases_of(str(cautions.joined_cautions(of_trees)))] == [
        text.lower() for text in of_trees
    ]
    (audited,) = _of_audits()
    assert len(phrases_of(audited)) == 4


def test_no_caution_that_can_be_answered_beside_it_has_words_of_the_api() -> None:
    for text in _SENTENCES:
        for line in note_of_one([text], Links("")).lines:
            assert re.findall(r"evaluation_dataset|sm_u|held_out|^Dataset ", line.text) == []


def test_a_remedy_of_several_cautions_stands_once_behind_the_last_of_them() -> None:
    texts = _of_evaluations()
    note = note_of_one(texts, Links(""), {"other_rows": "the form"})
    assert len(note.lines) == len(texts) > 1
    assert note.forms == ["the form"]
    linked = note_of_one(["figures flatter; name other rows as dataset", _figures()[0] or ""], Links(""))
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
    for text in _SENTENCES:
        name = "caution" if "caution" in found["result"] else "cautions"
        found["result"][name] = text if name == "caution" else [text]
        drawn = picture.draw(found, picture.beside(links=Links("")))
        for remedy in remedies_of(text, Links(""), {}):
            expected = remedy.reason or f">{remedy.link[1]}</a>"  # type: ignore[index]
            assert expected in drawn


def test_a_label_audit_leads_to_its_review() -> None:
    found = document("LabelAudit")
    found["result"]["caution"] = str(_of_audits()[0])
    picture = pictures()["label_audit"]
    drawn = picture.draw(found, picture.beside(links=Links("")))
    assert f'<a href="#/reviews/{found["id"]}">Review them one by one</a>' in drawn


def test_what_is_made_again_keeps_its_rows_its_proximity_and_its_seed() -> None:
    found = document("PrototypeSet")
    found["request"] |= {"proximity_kind": "ensemble", "seed": 5, "evaluation_dataset": "held-out"}
    found["result"]["cautions"] = [text for text in _of_prototypes() if text is not None]

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
    assert result_of(audited).caution
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
