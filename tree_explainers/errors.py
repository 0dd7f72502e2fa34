"""What the mathematics refuses, each with a stable code and a sentence that the caller can act on."""


class ExplainerError(ValueError):
    """Something the caller sent cannot be worked with.

    Parameters
    ----------
    code
        Stable, machine-readable name from the API contract's problem codes, such as ``model_invalid_tree``.
    detail
        What was wrong, which value, and what to do.
    """

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


class ModelRefused(ExplainerError):
    """The bytes offered as a model are not one that can be explained."""


class ForeignFormat(ModelRefused):
    """The bytes are plainly of another format, a pickle or an archive: an unsupported media type."""


class RowRefused(ExplainerError):
    """A row does not fit the model's inputs; ``row`` is its position among those that were given, where that is known.

    The detail does not name it: only the caller knows the names of the rows.
    """

    def __init__(self, code: str, detail: str, row: int | None = None) -> None:
        super().__init__(code, detail)
        self.row = row

    def after(self, n_rows: int) -> "RowRefused":
        """Return the same refusal where ``n_rows`` others come before those that were given."""
        return RowRefused(self.code, self.detail, None if self.row is None else self.row + n_rows)


class InvalidInput(ExplainerError):
    """An argument, ``field`` where it has a name, is outside what the method is defined for."""

    def __init__(self, detail: str, code: str = "validation_failed", field: str | None = None) -> None:
        super().__init__(code, detail)
        self.field = field


class MethodNotApplicable(ExplainerError):
    """The method, or its argument ``field``, has no meaning for a model, such as supervised greedy for regression."""

    def __init__(self, detail: str, field: str | None = None) -> None:
        super().__init__("method_not_applicable", detail)
        self.field = field
