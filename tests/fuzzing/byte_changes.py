"""Bytes changed in a few places: flipped, cut out, doubled, moved, overwritten with what means something somewhere."""

import random

_REVEALING = (
    b"\x00",
    b"\xff" * 8,
    b"\xff\xff\xff\xff\x0f",
    b"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
    b"PAR1",
    b'"',
    b",",
    b"\r",
    b"\n",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"[[[[",
    b'{"a":',
    b"1e999",
    b"-",
    b"\\ud800",
    b"\x7f\xff\xff\xff",
)


def of_part(part: int, rng: random.Random) -> random.Random:
    """Return what draws other changes in each part of a long run."""
    return random.Random(f"{part} {rng.random()}")  # noqa: S311  # not a secret


def mutated_bytes(data: bytes, rng: random.Random, n_changes: int) -> bytes:
    """Return the bytes with this number of changes, anywhere."""
    changed = bytearray(data)
    for _ in range(n_changes):
        _change(changed, rng)
    return bytes(changed)


def _change(data: bytearray, rng: random.Random) -> None:
    at = rng.randrange(len(data) + 1)
    end = min(len(data), at + rng.choice((1, 1, 2, 4, 8, 64)))
    way = rng.randrange(6)
    if way == 0 and at < len(data):
        data[at] ^= 1 << rng.randrange(8)
    elif way == 1:
        del data[at:end]
    elif way == 2:
        data[at:at] = data[at:end]
    elif way == 3:
        data[at:end] = bytes(rng.randrange(256) for _ in range(end - at))
    elif way == 4:
        revealing = rng.choice(_REVEALING)
        data[at : at + len(revealing)] = revealing
    else:
        data[at:at] = rng.choice(_REVEALING)
