"""Pictures say of things what the API's nouns say, and each is found by the beginning of an id."""

from leafspace_drawings import Links, address_of, pictures

from schemas.nouns import NOUNS
from service.drawings.documents import VIEWS


def test_ids_and_objects_of_pictures_are_those_of_nouns() -> None:
    prefixes = {noun.singular: noun.id_prefix for noun in NOUNS.values()}

    assert {kind: prefixes[kind] for kind, picture in pictures().items() if picture.ids} == {
        kind: picture.ids for kind, picture in pictures().items() if picture.ids
    }
    assert {"model", "dataset", "prototype_set", "explainer", "report"} <= set(pictures())


def test_each_part_that_links_lead_to_is_a_view_of_the_page() -> None:
    parts = {picture.part for picture in pictures().values() if picture.part}

    assert parts <= set(VIEWS)
    assert len(parts) == sum(bool(picture.part) for picture in pictures().values())


def test_things_without_a_view_have_no_address() -> None:
    assert address_of("map_1", Links("")) == "#/maps/map_1"
    assert address_of("rlf_1", Links("x/")) == "x/#/relational-forests/rlf_1"
    assert address_of("prx_1", Links("")) is None
    assert address_of("fts_1", Links("")) is None
    assert address_of("map_1", Links()) is None
