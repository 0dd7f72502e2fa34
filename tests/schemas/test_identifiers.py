"""Things are known by the hash of what made them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.identifiers import PREFIXES, canonical_json, content_identifier

_SCALARS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
_VALUES = st.recursive(
    _SCALARS | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10
)


def test_ids_have_the_prefixes_of_the_contract() -> None:
    assert PREFIXES == {
        "models": "mdl_",
        "datasets": "ds_",
        "relational_datasets": "rds_",
        "feature_sets": "fts_",
        "relational_forests": "rlf_",
        "proximities": "prx_",
        "prototype_sets": "prs_",
        "label_audits": "lba_",
        "maps": "map_",
        "rule_sets": "rls_",
        "approximation_trees": "apt_",
        "explanation_sets": "exs_",
        "comparisons": "cmp_",
        "evaluations": "evl_",
        "reports": "rpt_",
        "explainers": "xpl_",
        "explanations": "xpn_",
        "jobs": "job_",
        "api_keys": "key_",
    }
    for noun, prefix in PREFIXES.items():
        assert re.fullmatch(prefix + "[a-z2-7]{26}", content_identifier(noun, 1, "a"))


def test_an_id_stays_what_it_is_for_good() -> None:
    """Stored things would not be found again otherwise."""
    known = "mdl_iwa2tln3j36fbma6rk4wl3swdm"
    assert content_identifier("models", "0" * 64, {"name": "é", "classes": [1.5, None]}) == known
    assert content_identifier("models", "0" * 64, {"classes": [1.5, None], "name": "é"}) == known
    assert canonical_json({"b": [1, 1.5, None, True], "a": "é"}) == '{"a":"é","b":[1,1.5,null,true]}'.encode()


@given(_VALUES, _VALUES)
def test_other_parts_make_another_id_and_equal_ones_the_same(first: object, second: object) -> None:
    same_text = canonical_json(first) == canonical_json(second)

    assert (content_identifier("models", first) == content_identifier("models", second)) == same_text


def test_nouns_and_the_places_of_parts_matter() -> None:
    identifiers = {
        content_identifier("models", "a", "b").partition("_")[2],
        content_identifier("datasets", "a", "b").partition("_")[2],
        content_identifier("models", "b", "a").partition("_")[2],
        content_identifier("models", "ab").partition("_")[2],
        content_identifier("models", ["a", "b"]).partition("_")[2],
    }

    assert len(identifiers) == 5


def test_what_json_does_not_know_has_no_id() -> None:
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="not JSON compliant"):
            content_identifier("models", value)
