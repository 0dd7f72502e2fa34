"""Settings of the papers: requests that leave a method's settings to the paper that describes it."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import ModelWrapValidatorHandler, model_validator
from pydantic.json_schema import SkipJsonSchema

from .contract import Contract, absent


class MethodRequest(Contract):
    """A request that takes the papers' settings in one word: they fill the fields that the caller leaves out."""

    # By method, and under "" those of all of them, the method itself included. What they set is in docs/methods.md.
    of_papers: ClassVar[Mapping[str, Mapping[str, Any]]] = {}

    settings: Literal["paper"] | SkipJsonSchema[None] = absent(
        "`paper`: the fields that are left out have the values of the method's paper, as docs/methods.md lists them, "
        "instead of these defaults, fields of fields included; what is given, null included, stands, but for "
        "`method: auto`, which leaves the method to the word, too. Answers show the fields that result, so that the id "
        "is that of the same request in full. Absent: the defaults."
    )

    @model_validator(mode="before")
    @classmethod
    def _filled(cls, request: object) -> object:
        """Return what was sent with the papers' settings in the place of the word."""
        if not isinstance(request, Mapping) or request.get("settings") != "paper":
            return request
        sent = {name: value for name, value in request.items() if name != "settings"}
        of_all = cls.of_papers.get("", {})
        if sent.get("method") == "auto" and "method" in of_all:
            del sent["method"]  # the word chooses it
        method = sent.get("method", of_all.get("method"))
        of_method = cls.of_papers.get(method, {}) if isinstance(method, str) else {}
        return _merged(_merged(of_all, of_method), sent)

    @model_validator(mode="wrap")
    @classmethod
    def _as_sent(cls, sent: object, validate: ModelWrapValidatorHandler[Self]) -> Self:
        """Return the request, whose ``model_fields_set`` has what was sent, and not what papers filled in."""
        read = validate(sent)
        if isinstance(sent, Mapping):
            read.model_fields_set.intersection_update(sent)
        return read


def _merged(settings: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that are given, and ``settings`` in the place of others, those of nested fields included."""
    nested = {
        name: _merged(settings[name], value)
        for name, value in changed.items()
        if isinstance(value, Mapping) and isinstance(settings.get(name), Mapping)
    }
    return {**settings, **changed, **nested}
