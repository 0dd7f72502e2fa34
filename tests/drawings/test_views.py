"""Every view: well-formed, without anything that runs, with the document's figures, and safe from hostile names."""

import functools
import re
from collections.abc import Callable, Iterator
from html import unescape
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from leafspace_drawings import (
    Choice,
    DatasetContext,
    Form,
    JobInput,
    Jobs,
    Links,
    ModelContext,
    ModelFigure,
    RulesContext,
    SetContext,
    TreeContext,
    WhyContext,
    draw_approximation_tree,
    draw_dataset,
    draw_explainer,
    draw_explanation,
    draw_jobs,
    draw_model,
    draw_prototype_set,
    pictures,
    style_sheet,
    whole_document,
    words,
)
from leafspace_drawings.classes import Classes
from leafspace_drawings.columns import ColumnNames
from leafspace_drawings.decided import Decided
from leafspace_drawings.methods import METHODS
from leafspace_drawings.overview import made_of

from . import documents
from .documents import DRAWN, document, drawn

_HOSTILE = (
    '</style><script>alert("x")</script>',
    '"onload="alert(1)',
    "' onerror='x",
    "<img src=x onerror=alert(1)>",
    "\u202e\u2066gpj.exe\x00\x1b[31m",
    "{{ 7 * 7 }}{% raw %}",
    "&lt;b&gt;",
    "a" * 10_000,
)


class _Elements(HTMLParser):
    """The elements and attributes of a drawing, and whether each one that is opened is closed."""

    _WITHOUT_END = ("br", "col", "img", "input", "meta")

    def __init__(self) -> None:
        super().__init__()
        self.found: set[tuple[str, str | None]] = set()
        self.texts: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found |= {(tag, name) for name, _ in attributes} | {(tag, None)}
        if tag not in self._WITHOUT_END:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found |= {(tag, name) for name, _ in attributes} | {(tag, None)}

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, text: str) -> None:
        self.texts.append(text)

    @classmethod
    def of(cls, drawing: str) -> "_Elements":
        elements = cls()
        elements.feed(drawing.replace("<wbr>", ""))  # where a line may end: no element with content
        elements.close()
        assert not elements._open
        return elements


def _names_replaced(found: Any, name: str) -> Any:  # JSON
    """Return a document in which people's names are others: of models, features, classes, rows, and in texts."""
    if isinstance(found, dict):
        is_named = {key for key, value in found.items() if key in _NAMED and isinstance(value, str)}
        return {key: name if key in is_named else _names_replaced(value, name) for key, value in found.items()}
    return [_names_replaced(value, name) for value in found] if isinstance(found, list) else found


def _caution(
    detail: str,
    code: str = "measured_on_training_rows",
    remedy: str | None = "name rows that it was not trained on as evaluation_dataset",
) -> dict[str, str | None]:
    return {"code": code, "detail": detail, "remedy": remedy}


_NAMED = ("name", "feature", "row_id", "text", "detail", "summary", "stage", "remedy")


@pytest.mark.parametrize("schema", DRAWN)
def test_a_view_is_well_formed_and_runs_nothing(schema: str) -> None:
    elements = _Elements.of(drawn(schema, document(schema)))
    tags = {tag for tag, _ in elements.found}
    assert not tags & {"script", "style", "iframe", "object", "embed", "link", "form", "base"}
    assert not {name for _, name in elements.found if name and (name == "style" or name.startswith("on"))}


@pytest.mark.parametrize("schema", DRAWN)
def test_the_same_document_gives_the_same_bytes(schema: str) -> None:
    assert drawn(schema, document(schema)) == drawn(schema, document(schema))


@pytest.mark.parametrize("schema", DRAWN)
def test_what_has_no_name_is_called_by_its_id(schema: str) -> None:
    text = " ".join(_Elements.of(drawn(schema, _without_names(document(schema)))).texts)
    assert not re.search(r"\bNone\b|\bnull\b", text)


def test_texts_beside_things_without_names_call_them_by_their_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "document", lambda schema: _without_names(document(schema)))
    for schema in DRAWN:
        text = " ".join(_Elements.of(drawn(schema, documents.document(schema))).texts)
        assert not re.search(r"\bNone\b|\bnull\b", text), schema


def _without_names(found: Any) -> Any:  # JSON
    """Return a document in which whatever has an id, and may have a name, has none."""
    if isinstance(found, dict):
        unnamed = {"name": None} if "id" in found and "name" in found else {}
        return {**{key: _without_names(value) for key, value in found.items()}, **unnamed}
    return [_without_names(value) for value in found] if isinstance(found, list) else found


def _hostile_examples(test: Callable[..., None]) -> Callable[..., None]:
    for name in _HOSTILE:
        test = example(name=name)(test)
    return test


@pytest.mark.parametrize("schema", DRAWN)
@settings(max_examples=20)
@given(name=st.text(max_size=40))
@_hostile_examples
@pytest.mark.sampled("thirds")
def test_names_add_no_element_and_no_attribute(schema: str, name: str) -> None:
    plain = _drawn_plainly(schema)
    hostile = _Elements.of(drawn(schema, _names_replaced(document(schema), name)))
    assert hostile.found <= plain.found | _SOMETIMES
    assert all(text.isprintable() or not text.strip("\n") or "\n" in text for text in hostile.texts)


@functools.cache
def _drawn_plainly(schema: str) -> _Elements:
    return _Elements.of(drawn(schema, document(schema)))


_SOMETIMES = {("p", "class"), ("svg", "role"), ("title", None)}  # what a document with other values may also have


def test_every_svg_is_well_formed_and_has_a_title_or_is_hidden() -> None:
    pictures = [picture for schema in DRAWN for picture in _pictures(drawn(schema, document(schema)))]
    assert len(pictures) > 20
    for picture in pictures:
        root = ET.fromstring(picture)  # noqa: S314  # ours
        assert root.get("aria-hidden") == "true" or (root.get("role") == "img" and root.findtext("{*}title"))


def _pictures(drawing: str) -> Iterator[str]:
    yield from re.findall(r"<svg.*?</svg>", drawing, re.DOTALL)


def test_shapes_carry_their_light_colour() -> None:
    for schema in DRAWN:
        for shape in re.findall(r"<(?:rect|circle|path|text)[^>]*>", drawn(schema, document(schema))):
            assert re.search(r'(?:fill|stroke)="(?:#[0-9a-f]{6}|none)"', shape), shape


def test_the_figures_of_a_prototype_set_are_those_of_its_document() -> None:
    found = document("PrototypeSet")
    text = " ".join(_Elements.of(drawn("PrototypeSet", found)).texts)
    result = found["result"]
    assert words.count(result["n_rows"]) in text
    assert words.share(result["evaluation"][-1]["fidelity"]) in text
    assert words.brief(1 - result["quality"]["mean_distance"]) in text
    for prototype in result["prototypes"]:
        assert words.counted(prototype["coverage"]["n_rows"], "row") in text


@pytest.mark.parametrize(("method", "is_of_class"), [("sm_a", True), ("k_medoids", False)])
def test_the_rows_that_prototypes_represent_least_stand_below_them(method: str, *, is_of_class: bool) -> None:
    found = document("PrototypeSet")
    found["request"] = {**found["request"], "method": method}
    text = " ".join(_Elements.of(drawn("PrototypeSet", found)).texts)

    below = text.partition("Which rows do they represent least?")[2]
    for each in found["result"]["criticisms"]:
        assert each["row_id"] in below
        assert words.share(each["proximity"]) in below
    assert ("prototypes of their class" in below) == is_of_class


def test_a_set_of_an_earlier_release_is_drawn_without_criticisms() -> None:
    found = document("PrototypeSet")
    found["result"] = {name: value for name, value in found["result"].items() if name != "criticisms"}

    assert "represent least" not in drawn("PrototypeSet", found)


def test_prototypes_of_rows_without_a_target_have_a_curve_of_fidelity_alone() -> None:
    found = document("PrototypeSet")
    result = found["result"]
    found["result"] = {**result, "nested": True, "evaluation": [
        {**result["evaluation"][-1], "n_prototypes": n, "balanced_accuracy": None, "accuracy": None}
        for n in range(1, len(result["prototypes"]) + 3)
    ]}  # fmt: skip

    text = drawn("PrototypeSet", found)

    assert "fidelity" in text
    assert "accuracy* " not in text


def test_prototypes_by_plain_distance_are_not_called_the_models_view() -> None:
    found = document("PrototypeSet")
    without_leaves = dict.fromkeys(("certificate", "min_leaf_rows", "row_coverage", "typicality", "nearest_rows"))
    found["result"] |= {"proximity_kind": "euclidean", **without_leaves}

    text = " ".join(_Elements.of(drawn("PrototypeSet", found)).texts)

    assert "What plain distance sees" in text
    assert "not by the model" in text
    assert words.share(found["result"]["evaluation"][-1]["fidelity"]) in text


def test_the_figures_of_an_explanation_are_those_of_its_document() -> None:
    found = document("ExplanationList")
    text = " ".join(_Elements.of(drawn("ExplanationList", found)).texts)
    for row in found["data"]:
        if row["status"] == "error":
            assert row["problem"]["detail"] in text
            continue
        assert row["summary"] in text
        for near in row["nearest_prototypes"][:3]:
            assert near["row_id"] in text


def test_a_row_is_never_called_typical_but_compared_with_the_share_of_rows_that_are_nearer() -> None:
    found = document("ExplanationList")
    found["data"] = [row for row in found["data"] if row["status"] != "error" and row["nearest_prototypes"]]
    for row in found["data"]:
        row["typicality"] = {"level": "typical", "percentile": 25}
    alone = draw_explanation(found["data"][0], WhyContext())

    for drawing in (alone, drawn("ExplanationList", found)):
        text = " ".join(" ".join(_Elements.of(drawing).texts).split())
        assert "less near than 75% of rows" in text
        assert not re.search(r"\btypical\b|as usual", text)


def test_a_model_without_trees_says_so() -> None:
    found = document("Model") | {"n_trees": 0, "n_leaves": 0, "max_depth": 0, "ensemble": None, "oracle_only": True}
    text = " ".join(_Elements.of(drawn("Model", found)).texts)
    assert "a model without trees" in text
    assert "has no leaves" in text


def test_rules_that_decide_together_show_their_weights_and_no_order() -> None:
    found = document("RuleSet")
    found["result"] |= {"combination": "weighted_mean"}
    found["result"]["rules"] = [rule | {"weight": 0.25} for rule in found["result"]["rules"]]
    text = " ".join(_Elements.of(drawn("RuleSet", found)).texts)
    assert "decide together" in text
    assert text.count("weight 0.25") == len(found["result"]["rules"])
    assert "otherwise" not in text
    assert "first rule" not in text


@pytest.mark.parametrize(
    "schema", ["ApproximationTree", "Dataset", "ExplanationList", "PrototypeSet", "ReviewedRow", "RuleSet"]
)
def test_views_that_name_columns_say_what_people_call_them(schema: str) -> None:
    dataset = document("Dataset")
    titled = next(column for column in dataset["columns"] if column["title"] and column["unit"])
    name = titled["name"]
    found = document(schema)
    if schema == "RuleSet":
        found["result"]["rules"][0]["conditions"][0]["feature"] = name
    if schema == "ApproximationTree":
        found["result"]["nodes"][0]["feature"] = name

    text = " ".join(" ".join(_Elements.of(drawn(schema, found)).texts).split())

    assert titled["title"] in text
    assert f"in {titled['unit']}" in text
    assert name in text


def test_a_model_names_its_features_as_the_dataset_does_and_lists_what_was_made_of_it_with_its_cautions() -> None:
    model, dataset, rules = document("Model"), document("Dataset"), document("RuleSet")
    titled = next(column for column in dataset["columns"] if column["title"] and column["unit"])
    usage = [{"feature": titled["name"], "share_of_trees": 0.5, "share_of_questions": 0.25}]
    rules["result"]["cautions"] = [_caution("the model predicts 100.0% of these labels")]
    made = made_of({"rule_sets": [rules]}, Links(""))

    drawing = draw_model(model, ModelContext((), [rules], (), usage, made, dataset, Links("")))

    elements = _Elements.of(drawing)
    text = " ".join(" ".join(elements.texts).split())
    assert f"{titled['title']} {titled['name']} , in {titled['unit']}" in text
    assert re.search(rf"rules ?(, [^:]*)?: {METHODS[rules['request']['method']]}", text)
    assert "The model predicts 100.0% of these labels." in text
    assert f"#/rules/{rules['id']}" in drawing


def test_a_dataset_says_of_which_model_each_result_is() -> None:
    rules = document("RuleSet")
    context = DatasetContext({"rule_sets": [rules]}, Links(""), {rules["request"]["model"]: "Loans <2>"})

    drawing = draw_dataset(document("Dataset"), context)

    text = " ".join(" ".join(_Elements.of(drawing).texts).split())
    assert re.search(rf"rules of “ Loans <2> ”(, [^:]*)?: {METHODS[rules['request']['method']]}", text)


@pytest.mark.parametrize("has_effects", [False, True])
def test_features_are_ordered_by_the_splits_that_test_them_beside_where_it_stands_how_much_they_count(
    *, has_effects: bool
) -> None:
    usage = [
        {"feature": name, "share_of_trees": 1.0, "share_of_questions": part}
        for name, part in (("rare", 0.25), ("frequent", 0.5), ("middle", 0.25))
    ]
    sizes = [{"feature": "rare", "effect": 0.5}]
    effects = {"n_rows": 9, "among": 9, "kind": "contrast", "scale": "value", "mean_absolute_effects": sizes}

    drawing = draw_model(document("Model"), ModelContext(feature_usage=usage, effects=effects if has_effects else None))

    card = drawing[drawing.index("Which features do its splits test?") :]
    assert [card.index(name) for name in ("frequent", "rare", "middle")] == sorted(
        card.index(name) for name in ("frequent", "rare", "middle")
    )
    assert re.findall(r'class="ls-full" width="([0-9.]+)"', card)[:3] == ["100.0", "50.0", "50.0"]
    assert ("mean size of its effects, above" in card) == has_effects


def test_an_adverse_outcome_has_one_colour_in_the_view_of_a_model() -> None:
    model, dataset, prototypes = document("Model"), document("Dataset"), document("PrototypeSet")
    second = model["classes"][1]
    bands = [{"outcome": "approve", "below": 0.25}, {"outcome": "decline", "below": None}]
    model["decision"] = {"score_of": second, "bands": bands, "best_first": True, "adverse": ["decline"]}
    prototypes["result"]["classes"] = ["approve", "decline"]
    for each in (*prototypes["result"]["prototypes"], *prototypes["result"]["criticisms"]):
        each["label"] = "decline" if each["label"] == second else "approve"
    drawing = draw_model(model, ModelContext([prototypes], columns=dataset, links=Links(""), explainer="xpl_1"))

    styles = re.findall(r'ls-mark (ls-class-\d+)"(?:(?!</svg>).)*</svg> <bdi>decline<', drawing)
    assert len(styles) > 1
    assert set(styles) == {Classes.of_outcomes(model)["decline"].style}
    assert styles[0] != Classes(["approve", "decline"])["decline"].style


def test_a_model_says_what_it_decides_how_well_and_what_counts_and_a_caution_has_what_it_asks_for_beside_it() -> None:
    model, dataset, prototypes = document("Model"), document("Dataset"), document("PrototypeSet")
    second = model["classes"][1]
    bands = [{"outcome": "approve", "below": 0.25}, {"outcome": "decline", "below": None}]
    model["decision"] = {"score_of": second, "bands": bands, "best_first": True, "adverse": ["decline"]}
    target = next(column for column in dataset["columns"] if column["role"] == "target")
    target["labels"] = [{"value": "decline", "label": "Declined"}, {"value": second, "label": "Defaulted"}]
    asking = _caution("figures flatter")
    prototypes["result"]["cautions"] = [asking, _caution("the second", "hardly_better_than_constant", None)]
    rules = document("RuleSet")
    rules["result"]["cautions"] = [asking]
    sizes = [{"feature": name, "effect": 0.5 / rank} for rank, name in enumerate(model["feature_names"], 1)]
    effects = {"n_rows": 100, "among": 150, "kind": "contrast", "scale": "probability", "mean_absolute_effects": sizes}
    remedy = Form(
        "measure", "/v1/prototype-sets", "prototypes", [Choice("evaluation_dataset", "rows", [("ds_2", "new")])]
    )
    context = ModelContext(
        [prototypes],
        [rules],
        columns=dataset,
        links=Links(""),
        explainer="xpl_1",
        effects=effects,
        remedies={prototypes["id"]: {"other_rows": remedy}},
    )

    drawing = draw_model(model, context)

    text = " ".join(" ".join(_Elements.of(drawing).texts).split())
    assert "approve below 0.25" in text
    assert "Declined from 0.25, adverse to the person" in text
    assert "the score of “ Defaulted ”, the positive outcome" in text
    measured = prototypes["result"]["baseline"]["model"]
    assert words.share(measured["balanced_accuracy"]) in text
    assert f"{measured['n_rows']} rows" in text
    assert text.index("0.25", text.index("What counts most")) < text.index("0.17")
    shown = {
        label: [each for each in prototypes["result"]["prototypes"] if each["label"] == label][:3]
        for label in model["classes"]
    }
    for each in (prototype for of_label in shown.values() for prototype in of_label):
        assert f'href="#/explainers/xpl_1/rows/{each["row_id"]}"' in drawing
    assert text.count("Prototypes, rules: Figures flatter.") == text.count("Figures flatter") == 1
    assert drawing.count("<form") == 1
    assert drawing.index("Figures flatter") < drawing.index("Prototypes:</b> The second") < drawing.index("<form")


def test_an_explainer_says_at_a_glance_what_its_model_decides_and_how_well() -> None:
    model, prototypes = document("Model"), document("PrototypeSet")["result"]
    measured = prototypes["baseline"]["model"]["balanced_accuracy"]
    figure = ModelFigure.of_prototypes(prototypes)
    for known, expected in ((figure, words.share(measured)), (None, "not measured yet")):
        of_model = model, Decided.of_model(model, document("Dataset")), known
        drawing = draw_explainer(document("Explainer"), prototypes["prototypes"], Links(""), None, of_model)
        text = " ".join(" ".join(_Elements.of(drawing).texts).split())
        assert text.index("Its model decides") < text.index(model["classes"][0]) < text.index(expected)
        assert f'href="#/models/{document("Explainer")["model"]}"' in drawing


@pytest.mark.parametrize("schema", ["ApproximationTree", "PrototypeSet", "RuleSet"])
def test_a_caution_that_asks_for_other_rows_has_the_link_that_registers_them(schema: str) -> None:
    found = document(schema)
    found["result"]["cautions"] = [_caution("figures flatter")]
    contexts = {"ApproximationTree": TreeContext, "PrototypeSet": SetContext, "RuleSet": RulesContext}
    draw = pictures()[found["object"]].draw

    on_page = draw(found, contexts[schema](links=Links("")))
    assert 'Figures flatter. <a href="#/register">' in on_page
    assert "evaluation_dataset" not in on_page
    assert "as evaluation_dataset" in draw(found, contexts[schema]())


def test_rules_without_a_target_are_drawn_without_figures_of_the_model() -> None:
    found = document("RuleSet")
    assert "the model" in _Elements.of(drawn("RuleSet", found)).texts
    found["result"]["evaluation"]["model"] = None

    texts = _Elements.of(drawn("RuleSet", found)).texts

    assert "the model" not in texts
    assert "these rules" in texts


def test_settled_leaves_have_a_mark_and_a_legend() -> None:
    found = document("ApproximationTree")
    leaves = [node for node in found["result"]["nodes"] if node["left"] is None]
    for node in leaves:
        node["settled"] = node is leaves[0]
    tests = "none of 3 splits of the tree are significant"
    found["result"]["cautions"] = [_caution(tests, "splits_not_significant", None)]

    text = unescape(drawn("ApproximationTree", found))

    assert text.count("✓ settled") == 2  # the leaf, and the legend
    assert "✓ settled: proved that the model gives every row" in text
    assert "None of 3 splits of the tree are significant." in text
    for node in leaves:
        node["settled"] = None
    assert "✓" not in drawn("ApproximationTree", found)


def test_an_audit_says_how_many_suspect_rows_it_does_not_show() -> None:
    found = document("LabelAudit")
    n_shown = sum(row["suggested_label"] is not None for row in found["result"]["rows"])
    found["result"]["n_suggested"] = n_shown + 7
    assert "and 7 more of these rows" in drawn("LabelAudit", found)


def test_an_audit_says_how_many_labels_are_wrong_where_it_was_estimated() -> None:
    found = document("LabelAudit")
    estimated = {"number": 27, "low": 18, "high": 1041, "level": 0.9, "n_rows": 150, "n_trees": 200}
    found["result"] |= {"n_rows": 2000, "n_suggested": 1, "estimated_wrong": estimated}
    found["result"]["rows"][0]["wrong_probability"] = 0.62
    with_estimate = " ".join(" ".join(_Elements.of(drawn("LabelAudit", found)).texts).split())
    found["result"]["estimated_wrong"] = estimated | {"number": 1, "low": 0}
    of_one = " ".join(" ".join(_Elements.of(drawn("LabelAudit", found)).texts).split())
    found["result"]["estimated_wrong"] = None
    without = " ".join(" ".join(_Elements.of(drawn("LabelAudit", found)).texts).split())

    assert "Of 2,000 labels, about 27 are wrong, 18 to 1,041 with a probability of 90%." in with_estimate
    assert "Of 2,000 labels, about 1 is wrong, 0 to 1,041 with" in of_one
    assert "200 trees that were grown on 150 rows" in with_estimate
    assert "Another label is suggested for 1 row." in with_estimate
    assert "62%" in with_estimate
    assert "no count of errors" in without
    assert "probably wrong" not in without


def test_a_rule_without_conditions_is_drawn_without_an_if() -> None:
    found = document("RuleSet")
    found["result"]["rules"][0] |= {"conditions": [], "text": "always"}
    text = " ".join(" ".join(_Elements.of(drawn("RuleSet", found)).texts).split())
    assert "always " in text
    assert "if always" not in text


@pytest.mark.parametrize(
    ("method", "heading"), [("neighbors", "nearest rows with its label"), ("all_rows", "votes for its label")]
)
def test_an_audit_names_who_votes(method: str, heading: str) -> None:
    found = document("LabelAudit")
    found["result"] |= {"method": method}
    assert heading in drawn("LabelAudit", found)


def test_a_whole_document_allows_its_own_style_and_nothing_else() -> None:
    whole = whole_document("Why?", drawn("ExplanationList", document("ExplanationList")))
    assert "default-src 'none'" in unescape(whole)
    assert "<script" not in whole
    assert style_sheet() in whole


def test_the_style_sheet_is_nested_in_one_class_and_has_colours_as_tokens_alone() -> None:
    sheet = re.sub(r"/\*.*?\*/", "", style_sheet(), flags=re.DOTALL)
    assert sheet.strip().startswith(".leafspace {")
    assert len(style_sheet().encode()) <= 24_000
    used = re.sub(r"--[\w-]+:[^;]+;", "", sheet)
    assert set(re.findall(r"#[0-9a-f]{3,6}\b", used)) <= {"#000"}
    assert all(name.startswith(("ls-", "leafspace")) for name in re.findall(r"\.([a-zA-Z][\w-]*)", used))


def test_a_relational_forest_shows_its_warnings_and_what_it_published() -> None:
    found = document("RelationalForest")
    warning = "out of bag it predicts no better than one answer for all; leave out 'customer id'"
    found["result"]["warnings"] = [{"code": "no_better_than_constant", "detail": warning}]
    found["result"]["ids_left_out"] = [f"account.iban_{number}" for number in range(7)]

    drawing = drawn("RelationalForest", found)

    text = " ".join(_Elements.of(drawing).texts)
    assert words.sentence(warning) in text
    assert "they hold ids: account.iban_0," in text
    assert "account.iban_4 and 2 more" in text
    assert words.share(found["result"]["evaluation"]["training"]["balanced_accuracy"]) in text
    assert f'href="#/models/{found["result"]["model"]}"' in drawing


def test_a_job_under_way_can_be_cancelled_and_a_failed_one_cannot() -> None:
    drawing = drawn("RuleSetRequest", document("RuleSetRequest"))

    cancel = f'data-action="cancel" data-path="/v1/jobs/{document("Job")["id"]}/cancel"'
    assert drawing.count(cancel) == drawing.count('data-action="cancel"') == 1


def test_jobs_are_called_by_what_they_are_made_from_and_those_under_way_can_be_cancelled() -> None:
    job = {**document("Job"), "id": "job_a", "status": "running", "finished_at": None}
    ended = {**job, "id": "job_b", "status": "cancelled", "started_at": "2026-01-01T00:00:00Z"}
    ended["finished_at"] = "2026-01-01T00:03:00+00:00"
    of = [JobInput("model", "mdl_1", "v1 & v2"), JobInput("other_model", "mdl_2", "v3")]
    drawing = draw_jobs(Jobs([job, ended], {"job_a": of, "job_b": of}, Links("")))

    assert re.findall(r'data-path="([^"]+)"', drawing) == ["/v1/jobs/job_a/cancel"]
    assert " of v1 &amp; v2?" in drawing
    assert drawing.count('<a href="#/models/mdl_1">v1 &amp; v2</a>') == drawing.count("with <bdi><a") == 2
    assert "3 min" in drawing
    assert "data-action" not in draw_jobs(Jobs([job], {}, Links()))


def test_labels_of_a_dictionary_stand_for_classes_and_values() -> None:
    found, dataset = document("PrototypeSet"), document("Dataset")
    target = next(column for column in dataset["columns"] if column["role"] == "target")
    first = found["result"]["prototypes"][0]
    cell = first["features"][0]
    target["labels"] = [{"value": first["label"], "label": "Our finest"}]
    of_cell = next(column for column in dataset["columns"] if column["name"] == cell["name"])
    of_cell["labels"] = [{"value": str(cell["value"]), "label": "rather long"}]

    drawing = draw_prototype_set(found, SetContext(document("Model"), dataset))
    texts = _Elements.of(drawing).texts

    assert "Our finest" in texts
    assert "rather long" in texts
    assert first["label"] not in texts


def test_labels_of_a_dictionary_stand_for_the_classes_of_a_tree() -> None:
    found, dataset = document("ApproximationTree"), document("Dataset")
    target = next(column for column in dataset["columns"] if column["role"] == "target")
    label = found["result"]["classes"][0]
    target["labels"] = [{"value": label, "label": "Our finest"}]

    context = TreeContext(document("Model"), dataset)
    picture = draw_approximation_tree(found, context).partition("<svg")[2].partition("</svg>")[0]

    assert "Our finest" in picture
    assert label not in picture


@pytest.mark.parametrize(
    ("value", "text"), [(2, "two"), (2.0, "two"), (True, "yes"), ("A1", "poor"), (3, 3), (None, None), ("B", "B")]
)
def test_a_value_has_its_label_whatever_form_it_comes_in(value: Any, text: Any) -> None:
    labels = [{"value": "2", "label": "two"}, {"value": "true", "label": "yes"}, {"value": "A1", "label": "poor"}]
    names = ColumnNames({"columns": [{"name": "a", "labels": labels}]})

    assert names["a"].in_words(value) == text


def test_a_new_row_says_how_many_of_its_values_are_missing() -> None:
    values = [
        {"feature": name, "value": value, "prototype_values": [1, 1]}
        for name, value in (("age", None), ("income", 3), ("job", None))
    ]
    row = document("ExplanationList")["data"][0] | {"values": values}
    assert "2 of its 3 values are missing." in draw_explanation(row, WhyContext(form="#/explainers/xpl_1/form"))
    assert "are missing." not in draw_explanation(row, WhyContext())
