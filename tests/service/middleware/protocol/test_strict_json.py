"""JSON bodies, as strict as they come."""

import json
import time

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.middleware.protocol.strict_json import BadJson, parse_json
from tests.support.shared import shared_path

FILES = [
    "90_json_nested_100k.json",
    "91_json_nested_objects_20k.json",
    "92_json_huge_int.json",
    "98_json_lone_surrogate_and_nul.json",
    "99_json_invalid_utf8.json",
    "100_json_float_overflow.json",
]


def code_of(body: bytes) -> str:
    with pytest.raises(BadJson) as caught:
        parse_json(body)
    return caught.value.code


@pytest.mark.parametrize("name", FILES)
def test_each_shared_file_gets_its_code(name: str) -> None:
    expected = json.loads(shared_path("badinputs/expected.json").read_text())[name]["code"]
    assert code_of(shared_path(f"badinputs/{name}").read_bytes()) == expected


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "malformed_json"),
        (b"{", "malformed_json"),
        (b"[1] 2", "malformed_json"),
        (b"[NaN]", "malformed_json"),
        (b"[Infinity]", "malformed_json"),
        (b"[-Infinity]", "malformed_json"),
        (b'{"a": 01}', "malformed_json"),
        (b"{'a': 1}", "malformed_json"),
        (b'"\xff"', "malformed_json"),
        (b'"\xed\xa0\x80"', "malformed_json"),
        (b"\xef\xbb\xbf{}", "malformed_json"),
        (b'"a\x00b"', "malformed_json"),
        ("[1]".encode("utf-16"), "malformed_json"),
        (b"-" + b"9" * 400, "malformed_json"),
        (b"[1e400]", "non_finite_number"),
        (b"[-1e400]", "non_finite_number"),
        (b'{"a": 1.5e+999}', "non_finite_number"),
        (b"9" * 400 + b".0", "non_finite_number"),
        (b'"\\ud800"', "bad_string"),
        (b'"\\udc00\\ud800"', "bad_string"),
        (b'{"\\ud800": 1}', "bad_string"),
        (b'{"a": [{"b": "x\\u0000"}]}', "bad_string"),
        (b'{"\\u0000": 1}', "bad_string"),
        (b'"\\u0000"', "bad_string"),
    ],
)
def test_what_is_not_taken_gets_a_code(body: bytes, code: str) -> None:
    assert code_of(body) == code


@pytest.mark.parametrize(
    "body", [b'{"a": "\\\\u0000"}', b'"\\ud83d\\ude00"', b"[1e-400]", b"18446744073709551615", b"null"]
)
def test_what_only_looks_odd_is_taken(body: bytes) -> None:
    assert parse_json(body) == json.loads(body)


@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_nesting_ends_at_64_levels(opening: bytes, closing: bytes) -> None:
    parse_json(opening * 64 + b"1" + closing * 64)
    assert code_of(opening * 65 + b"1" + closing * 65) == "malformed_json"


def test_many_shallow_containers_are_not_deep() -> None:
    body = orjson.dumps({"instances": [{"x": [index]} for index in range(1_000)], "text": "[" * 500})
    assert parse_json(body) == orjson.loads(body)
    assert parse_json(b'"' + b"[{" * 500 + b'"') == "[{" * 500


@pytest.mark.parametrize("item", [b"[],", b"{},", b"0,", b'"",', b'"a":0,'])
def test_more_than_can_be_made_while_others_wait_is_not_made(item: bytes) -> None:
    inner = item * 1_000_002
    assert code_of(b"{" + inner[:-1] + b"}" if b":" in item else b"[" + inner[:-1] + b"]") == "too_many_rows"


def test_a_thousand_rows_of_hundreds_of_features_are_read() -> None:
    as_lists = b"[" + b",".join([b"[" + b"-1.25," * 899 + b"0]"] * 1000) + b"]"
    by_name = orjson.dumps([{f"mean radius {number}": number / 8 for number in range(280)}] * 1000)
    assert [len(row) for row in parse_json(as_lists)] == [900] * 1000
    assert [len(row) for row in parse_json(by_name)] == [280] * 1000


def test_messages_do_not_repeat_the_body() -> None:
    with pytest.raises(BadJson) as caught:
        parse_json(b'{"secret": "hunter2", }')
    assert "hunter2" not in caught.value.detail
    assert "line 1, column" in caught.value.detail


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**63), 2**63)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=20,
    )
)
def test_any_sound_value_is_read_as_it_is(value: object) -> None:
    body = json.dumps(value).encode()
    if b"\\u0000" not in body:
        assert parse_json(body) == value


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    codes = {"malformed_json", "bad_string", "non_finite_number"}
    assert (_refusal(body) or "malformed_json") in codes


def _refusal(body: bytes) -> str | None:
    try:
        parse_json(body)
    except BadJson as refusal:
        return refusal.code
    return None


@pytest.mark.parametrize("value", ["1", "{}", '":"', "[{}]"])
def test_an_object_of_tens_of_thousands_of_names_is_refused_soon(value: str) -> None:
    members = ",".join(f'"k{number}":{value}' for number in range(80_000))
    body = f'{{"instances":[{{{members},"k0":2}}]}}'.encode()
    began = time.process_time()

    with pytest.raises(
        BadJson, match=r"at most 50,000 are read|more than 150,000 are read|at most 1,000,000, 100,000"
    ) as refused:
        parse_json(body)

    assert refused.value.code == "too_many_rows"
    assert time.process_time() - began < 0.25  # most of it is spent where others go on


@pytest.mark.parametrize("piece", ["[]", "{}", "[" * 60 + "]" * 60])
def test_more_lists_and_objects_than_can_be_made_while_others_wait_are_refused_unread(piece: str) -> None:
    n_pieces = 101_000 // (len(piece) // 2)
    body = f"[{','.join([piece] * n_pieces)}]".encode()

    with pytest.raises(BadJson, match="opening brackets") as refused:
        parse_json(body)

    assert refused.value.code == "too_many_rows"
    assert len(parse_json(body[: len(body) // 2].rpartition(b",[" if piece != "{}" else b",{")[0] + b"]")) > 1
