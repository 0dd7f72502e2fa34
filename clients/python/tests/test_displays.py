"""What notebooks show of the client's objects: static pictures of documents that the real service answered."""

import json
import re
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from leafspace_client import (
    ApproximationTree,
    CannotWrite,
    Explainer,
    Explanation,
    Explanations,
    ExplanationSet,
    LabelAudit,
    Leafspace,
    PrototypeSet,
    Proximities,
    RuleSet,
    types,
)
from leafspace_client.displays import MOST_SHOWN_BYTES
from leafspace_client.explanations import Beside
from leafspace_client.known_documents import KnownDocuments

from tests.drawings.documents import document

_VIEWS: dict[str, Callable[..., Any]] = {
    "ApproximationTree": ApproximationTree,
    "ExplanationSet": ExplanationSet,
    "LabelAudit": LabelAudit,
    "PrototypeSet": PrototypeSet,
    "Proximities": Proximities,
    "RuleSet": RuleSet,
}
_EXAMPLES = Path(__file__).parents[3] / "service" / "examples.json"
_RECORDS = ("Dataset", "Job", "Model", "NextQuestion")


def _record(schema: str, **changed: Any) -> Any:  # a generated class
    return getattr(types, schema).from_dict(document(schema) | changed)


def _view(schema: str, **changed: Any) -> Any:  # a view of any noun
    return _VIEWS[schema](Leafspace()._transport, _record(schema, **changed))


def _explanations(*seen: str) -> Explanations:
    met = KnownDocuments()
    for schema in seen:
        met.remember(_record(schema))
    sent = document("ExplanationList")
    for row in sent["data"]:
        del row["values"]  # of which the example keeps two that are no reasons
    found = types.ExplanationList.from_dict(sent)
    beside = Beside(found.provenance, met)
    return Explanations([Explanation(row, beside=beside) for row in found.data], found.provenance)


def _objects() -> dict[str, Any]:
    views = {schema: _view(schema) for schema in _VIEWS}
    records = {schema: _record(schema) for schema in _RECORDS}
    several = _explanations("Dataset", "PrototypeSet")
    return {**views, **records, "Explanations": several, "Explanation": several[0]}


def _text(html: str) -> str:
    """Return what a reader sees where styles and pictures are taken away."""
    html = re.sub(r"<(style|svg)\b.*?</\1>", "", html, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", "", html)).split())


def test_every_object_shows_itself_without_script_in_little_space() -> None:
    for name, shown in _objects().items():
        html = shown._repr_html_()
        assert len(html.encode()) <= MOST_SHOWN_BYTES, name
        assert not re.search(r"<script|<button|<input| on\w+=| style=|https?://(?!www\.w3\.org/)", html), name
        assert html.count("<style>") == 1, name


def test_what_is_shown_reads_without_styles_and_pictures() -> None:
    texts = {name: _text(shown._repr_html_()) for name, shown in _objects().items()}
    audit, prototypes = document("LabelAudit")["result"], document("PrototypeSet")["result"]
    assert f"row {prototypes['prototypes'][0]['row_id']}" in texts["PrototypeSet"]
    assert document("RuleSet")["result"]["rules"][0]["text"] in texts["RuleSet"]
    assert f"{audit['n_suggested']}" in texts["LabelAudit"]
    column = document("Dataset")["columns"][0]
    assert (column["title"] or column["name"]) in texts["Dataset"]
    assert document("ExplanationList")["data"][0]["summary"] in texts["Explanation"]
    assert document("NextQuestion")["prediction"] in texts["NextQuestion"]
    assert "150" in texts["Proximities"]
    assert document("Job")["artefact"] in texts["Job"]


def test_a_set_of_explanations_shows_the_largest_mean_effects() -> None:
    sizes = {"petal_length": 0.4321, "petal_width": 0.25, "sepal_length": 0.01, "sepal_width": 0.001}
    means = [{"feature": name, "effect": size} for name, size in sizes.items()]
    result = document("ExplanationSet")["result"] | {"mean_absolute_effects": means, "effects_scale": "probability"}

    shown = _view("ExplanationSet", result=result)._repr_html_()

    assert "petal_length 0.43, petal_width 0.25, sepal_length 0.01<" in shown


@pytest.mark.parametrize(
    ("shown", "line"),
    [
        (
            lambda: _record("Model"),
            "Model 'iris forest' (random forest, 30 trees, 4 features, outcomes setosa/versicolor/virginica)",
        ),
        (lambda: _record("Model", name=None, n_trees=0, ensemble=None, classes=[]), "Model mdl_x (4 features)"),
        (lambda: _record("Dataset"), "Dataset 'iris measurements' (150 rows, 4 features, target species)"),
        (lambda: _record("Job", status="running"), "Job job_x (comparison, running"),
        (lambda: _view("PrototypeSet"), "PrototypeSet prs_x (ready, 2 prototypes, 150 rows, outcomes setosa/"),
        (
            lambda: _view("RuleSet", status="pending", result=None),
            "RuleSet rls_x (pending, at most 4 rules, by “regions, their number found”)",
        ),
        (lambda: PrototypeSet(Leafspace()._transport, None, "prs_1"), "PrototypeSet prs_x (not loaded)"),
        (lambda: _record("NewApiKey"), "NewApiKey 'scoring, production' (may read, explain)"),
        (lambda: _explanations()[0], "Explanation of row flower-1: virginica (0.95), petal_width +0.53, "),
        (_explanations, "Explanations of 1 row"),
        (lambda: Leafspace().models, "Models of http://"),
    ],
)
def test_an_object_is_named_and_described_in_a_line(shown: Callable[[], Any], line: str) -> None:
    shortened = re.sub(r"\b(mdl|job|prs|rls)_\w+", r"\1_x", repr(shown()))
    assert shortened.startswith(line)


def test_every_answer_of_the_contract_is_a_line_without_addresses_in_memory() -> None:
    schemas = json.loads(_EXAMPLES.read_text(encoding="utf-8"))["schemas"]
    things = [schema for schema in schemas if "object_" in getattr(vars(types).get(schema), "__defaults__", ())]
    assert len(things) > 30
    for schema in things:
        shown = repr(_record(schema)).splitlines()[0]
        assert schema.removesuffix("Summary") in shown
        assert " object at 0x" not in shown


def test_what_a_thing_was_made_of_is_named_where_the_client_has_met_it() -> None:
    transport = Leafspace()._transport
    model = _record("Model")
    prototypes = types.PrototypeSet.from_dict(document("PrototypeSet"))
    transport.known_documents.remember(model)
    prototypes.request.model = model.id

    shown = PrototypeSet(transport, prototypes)
    explainer = _record("Explainer", model=model.id, prototype_set=prototypes.id)

    assert repr(shown).endswith(", model 'iris forest')")
    assert repr(Explainer(transport, explainer)) == (
        "Explainer 'iris, all features' (model 'iris forest', 2 prototypes)"
    )


def test_an_explanation_uses_the_columns_of_a_dataset_that_the_client_has_met() -> None:
    assert "ls-strip" not in _explanations()[0]._draw().html
    assert "ls-strip" in _explanations("Dataset")[0]._draw().html


@pytest.mark.parametrize(("status", "hint"), [("pending", "wait()"), ("ready", "load()"), ("failed", "")])
def test_what_has_no_result_says_so_and_how_to_get_it(status: str, hint: str) -> None:
    text = _text(_view("RuleSet", status=status, result=None)._repr_html_())
    assert status in text
    assert hint in text


def test_a_thing_of_which_the_id_alone_is_here_is_not_fetched() -> None:
    nowhere = Leafspace("http://127.0.0.1:1")
    assert "load()" in PrototypeSet(nowhere._transport, None, "prs_1")._repr_html_()


def test_what_is_too_large_says_so() -> None:
    found = document("RuleSet")
    found["result"]["rules"] *= 400
    view = RuleSet(Leafspace()._transport, types.RuleSet.from_dict(found))
    assert len(view._repr_html_().encode()) <= MOST_SHOWN_BYTES
    assert "save()" in _text(view._repr_html_())


def test_prototypes_of_many_features_are_shown_with_those_that_set_classes_apart(tmp_path: Path) -> None:
    found = document("PrototypeSet")
    for prototype in found["result"]["prototypes"]:
        prototype["features"] = [{"name": f"feature {number}", "value": 0.5} for number in range(40)]
    found["result"]["prototypes"] *= 8
    view = PrototypeSet(Leafspace()._transport, types.PrototypeSet.from_dict(found))

    shown = view._repr_html_()

    assert len(shown.encode()) <= MOST_SHOWN_BYTES
    assert shown.count("33 more features not drawn") == 12
    assert "4 more prototypes not drawn" in re.sub(r"\s+", " ", _text(shown))
    assert "<details>" in view.save(tmp_path / "set.html").read_text(encoding="utf-8")


def test_a_tree_of_many_leaves_is_shown_as_a_list_and_saved_with_its_picture(tmp_path: Path) -> None:
    found = document("ApproximationTree")
    found["result"]["nodes"] = [*_full_tree(found["result"]["nodes"], 5)]
    view = ApproximationTree(Leafspace()._transport, types.ApproximationTree.from_dict(found))

    shown = view._repr_html_()

    assert len(shown.encode()) <= MOST_SHOWN_BYTES
    assert shown.count("<li") >= 63
    assert "ls-scroll ls-picture" not in shown
    assert "The whole tree" in shown
    assert "ls-scroll ls-picture" in view.save(tmp_path / "tree.html").read_text(encoding="utf-8")


def _full_tree(nodes: list[dict[str, Any]], depth: int) -> Iterator[dict[str, Any]]:
    """Yield the nodes of a tree as deep as can be, in preorder: copies of a split and of a leaf."""
    split, leaf = (next(each for each in nodes if (each["left"] is None) == is_leaf) for is_leaf in (False, True))
    waiting, number = [0], 0
    while waiting:
        level = waiting.pop()
        if level == depth:
            yield leaf | {"id": number, "depth": level}
        else:
            yield split | {"id": number, "depth": level, "left": number + 1, "right": number + 2 ** (depth - level)}
            waiting += [level + 1, level + 1]
        number += 1


def test_a_saved_picture_is_a_whole_file_that_allows_nothing(tmp_path: Path) -> None:
    for name, shown in _objects().items():
        path = shown.save(tmp_path / f"{name}.html")
        written = path.read_text(encoding="utf-8")
        assert written.startswith("<!doctype html>")
        assert "default-src 'none'" in unescape(written)
        assert written == shown.save(path).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["why.docx", "why.PNG", "why.csv"])
def test_a_picture_is_not_saved_under_the_name_of_another_kind_of_file(name: str, tmp_path: Path) -> None:
    shown = _explanations()[0]

    with pytest.raises(CannotWrite, match=r"what is written is html, and not .*; name it 'why\.html'"):
        shown.save(tmp_path / name)
    with pytest.raises(CannotWrite, match=r"what is written is svg, and not .*; name it 'why\.svg'"):
        shown.plot().save(tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["why", "why.htm", "why.of.row.7"])
def test_a_picture_is_saved_under_any_other_name(name: str, tmp_path: Path) -> None:
    assert _explanations()[0].save(tmp_path / name).exists()


def test_what_was_met_is_forgotten_when_much_else_was_met_since() -> None:
    seen = KnownDocuments()
    for number in range(100):
        seen.remember(_record("Job", id=f"job_{number}"))
    assert seen.document("job_99") is not None
    assert seen.document("job_1") is None
