"""Showing: open the page of the service, in a browser, where it shows a thing."""

import webbrowser
from functools import partial
from urllib.parse import quote

from .calls import Call, Connected, Program, Work, transport_of
from .errors import LeafspaceError
from .nouns import Identified, id_of


def page_address(base_url: str, thing: Identified | None) -> str:
    """Return the address of a thing in the page; of what has no view of its own, that of the overview."""
    from leafspace_drawings import Links, address_of  # importing the client stays quick

    page = Links(f"{base_url}/ui/")
    return (None if thing is None else address_of(id_of(thing), page)) or f"{base_url}/ui/#/"


def show(self: Connected, thing: Identified | None = None) -> Program[str]:
    """Open the page in a browser and return the address: of a thing, or the overview.

    Where the service requires keys, the browser gets this client's key by a code in the part of the address that is
    sent to nobody: it works once, within 30 seconds. The address that is returned has no code.

    Parameters
    ----------
    thing
        Anything that the page has a view of, such as a model or a rule set, or its id; default: the overview.
    """
    return (yield from _opened(self, page_address(transport_of(self).connection.base_url, thing)))


def _opened(self: Connected, address: str) -> Program[str]:
    code = (yield from _code()) if transport_of(self).connection.api_key else None
    yield Work(partial(webbrowser.open, f"{address}?code={code}" if code else address))
    return address


def show_row(self: Connected, row_id: str | int) -> Program[str]:
    """Open the page in a browser where it explains a row of the reference dataset, and return the address.

    Parameters
    ----------
    row_id
        Id of the row in the reference dataset.

    Returns
    -------
    str
        The address, which holds no key.
    """
    connection = transport_of(self).connection
    row = quote(str(row_id), safe="")
    return (yield from _opened(self, f"{connection.base_url}/ui/#/explainers/{id_of(self)}/rows/{row}"))


def show_view(self: Connected) -> Program[str]:
    """Open the page in a browser where it shows this, and return the address."""
    return (yield from show(self, self))


def _code() -> Program[str | None]:
    """Return a code for this client's key; None where the service makes none: the page requests a key then."""
    try:
        response = yield Call("POST", "/page/codes")
        code: str | None = response.json()["code"]
    except (LeafspaceError, KeyError, TypeError, ValueError):
        return None
    return code
