"""Dictionaries over HTTP: replaced in one state, with entity tags of their own."""

from tests.support.api import Api, Registered


def test_a_dictionary_is_put_read_replaced_and_deleted(api: Api, forest: Registered) -> None:
    path = f"/v1/datasets/{forest.dataset['id']}/dictionary"
    feature = api.get(f"/v1/datasets/{forest.dataset['id']}").json()["columns"][0]["name"]
    words = {"features": [{"name": feature, "label": "first measure", "unit": "cm"}]}

    assert api.get(path).json()["code"] == "not_found"
    made = api.http.put(path, json=words)
    assert (made.status_code, made.json()["features"][0]["label"]) == (201, "first measure")
    read = api.get(path)
    assert (read.json(), read.headers["etag"]) == (made.json(), made.headers["etag"])
    assert api.get(f"/v1/datasets/{forest.dataset['id']}").json()["columns"][0]["title"] == "first measure"

    again = api.http.put(path, json={"features": []}, headers={"If-Match": made.headers["etag"]})
    assert again.status_code == 200
    assert again.headers["etag"] != made.headers["etag"]
    assert (
        api.http.put(path, json=words, headers={"If-Match": made.headers["etag"]}).json()["code"]
        == "precondition_failed"
    )
    refused = api.http.put(path, json={"features": [{"name": "nobody"}]})
    assert (refused.status_code, refused.json()["code"]) == (422, "unknown_feature")
    assert refused.json()["errors"][0]["pointer"] == "/features/0/name"
    assert api.delete(path).status_code == 204
    assert api.delete(path).json()["code"] == "not_found"
