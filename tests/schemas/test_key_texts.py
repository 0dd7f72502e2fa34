"""Key texts: read strictly, so that no other bytes say the same."""

import pytest

from schemas.key_texts import draw_key, read_key

_ID, _SECRET = b"abcdefghij234567", b"A" * 43


def test_a_drawn_key_is_read_as_it_was_drawn() -> None:
    for _ in range(50):
        drawn = draw_key()

        assert read_key(drawn.text.encode()) == (drawn.id, drawn.digest)


def test_another_secret_has_another_digest() -> None:
    one, other = read_key(b"lsk_" + _ID + b"_" + _SECRET), read_key(b"lsk_" + _ID + b"_" + b"B" + _SECRET[1:])

    assert one is not None
    assert other is not None
    assert one.id == other.id
    assert one.digest != other.digest


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"lsk_",
        b"lsk_" + _ID + b"_" + _SECRET + b"\n",
        b"lsk_" + _ID + b"_" + _SECRET + b"A",
        b"lsk_" + _ID + b"_" + _SECRET[1:],
        b"LSK_" + _ID + b"_" + _SECRET,
        b"lsk_" + _ID.upper() + b"_" + _SECRET,
        b"lsk_" + _ID + b"__" + _SECRET,
        b"lsk_" + _ID + b"_" + b"\xc3\xa9" + _SECRET[2:],
        b"lsk_" + _ID + b"_" + b"\0" + _SECRET[1:],
        b"lsk_" + b"\xd9\xa1" * 8 + b"_" + _SECRET,
        b"x" * 60_000,
    ],
)
def test_what_is_not_a_key_to_the_last_byte_is_none(text: bytes) -> None:
    assert read_key(text) is None
