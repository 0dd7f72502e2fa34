"""Search the dearest request of 1 MB for each route; write what it costs to `tests/support/costly_requests/table.json`.

For each route all kinds of filling are tried on its whole body and, in turn, on its fields; from the dearest on, fields
and fillings are exchanged and a second field is filled as long as that costs more. Run it on a quiet machine:

    python -m benchmarks.costly_requests [--tries 60] [ROUTE ...]
"""

import argparse
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from tests.support.api import Api, register
from tests.support.costly_requests.measuring import Costs, Meter
from tests.support.costly_requests.recipes import WHOLE, Recipe, Route, Things, recipes_of, request_of, routes
from tests.support.costly_requests.table import TABLE, Entry, read_table, write_table
from tests.support.costly_requests.things import things_on
from tests.support.serving import serving

_N_MEASURED_AGAIN = 3


class Search:
    """The search for the dearest recipe of one route."""

    def __init__(self, route: Route, things: Things, meter: Meter, rng: np.random.Generator) -> None:
        self._route, self._things, self._meter, self._rng = route, things, meter, rng
        self._costs: dict[str, Costs] = {}  # by the name of the recipe

    def run(self, n_tries: int) -> Entry:
        """Return the dearest recipe of about so many that are tried, as the cheapest of some tries has it."""
        simple = recipes_of(self._route)
        first = [recipe for recipe in simple if WHOLE in recipe.filled or len(recipe.filled) > 1]
        others = [recipe for recipe in simple if recipe not in first]
        drawn = self._rng.permutation(len(others))[: max(0, n_tries - len(first)) * 2 // 3]
        for recipe in [*first, *(others[number] for number in drawn)]:
            self._try(recipe)
        while len(self._costs) < n_tries and (new := self._neighbour(simple)) is not None:
            self._try(new)
        dearest = self._dearest()
        again = [self._measure(dearest) for _ in range(_N_MEASURED_AGAIN)]
        return Entry(
            route=self._route.name,
            recipe=dearest.name,
            status=again[0].status,
            seconds=round(min(costs.seconds for costs in again), 4),
            answer_bytes=max(costs.answer_bytes for costs in again),
            wait_seconds=round(min(costs.wait_seconds for costs in again), 4),
        )

    def worst(self, cost: str) -> float:
        """Return the largest of what any recipe took, of one cost."""
        return max(float(getattr(costs, cost)) for costs in self._costs.values())

    def _neighbour(self, simple: list[Recipe]) -> Recipe | None:
        """Return an untried recipe that is like the dearest one: another field or filling, or one field more."""
        base = self._dearest()
        for _ in range(100):
            other = simple[self._rng.integers(len(simple))]
            near = Recipe({**base.filled, **other.filled}) if self._rng.random() < 0.5 else other
            is_usable = WHOLE not in near.filled or len(near.filled) == 1
            if is_usable and near.name not in self._costs:
                return near
        return None

    def _dearest(self) -> Recipe:
        return Recipe.named(max(self._costs, key=lambda name: _price(self._costs[name])))

    def _try(self, recipe: Recipe) -> None:
        self._costs[recipe.name] = self._measure(recipe)

    def _measure(self, recipe: Recipe) -> Costs:
        costs = self._meter.measure(request_of(self._route, recipe, self._things))
        if costs.status >= 500 and costs.status != 503:
            sys.exit(f"{self._route.name} answers {costs.status} to {recipe.name}")
        return costs


def _price(costs: Costs) -> float:
    """Return what is to be made as large as possible: that others wait counts more."""
    return costs.seconds + 10 * costs.wait_seconds


def main() -> None:
    """Search, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("routes", nargs="*", help="search these routes alone, such as `GET /v1/models`")
    parser.add_argument("--tries", type=int, default=60, help="how many requests to try for each route")
    arguments = parser.parse_args()
    with (
        TemporaryDirectory() as directory,
        serving(Path(directory) / "data", LEAFSPACE_STORE_EXPLANATIONS="1") as service,
    ):
        api = Api(service.url)
        things = things_on(api, register(api, "random_forest_binary"))
        meter = Meter(service.url, service.children()["api"])
        table = {entry.route: entry for entry in read_table()} if arguments.routes else {}
        for route in routes():
            if arguments.routes and route.name not in arguments.routes:
                continue
            search = Search(route, things, meter, np.random.default_rng(0))
            n_tries = arguments.tries if route.content_type else arguments.tries // 3
            table[route.name] = entry = search.run(n_tries)
            print(json.dumps({**vars(entry), "worst_wait": round(search.worst("wait_seconds"), 4)}), flush=True)
            write_table([table[route.name] for route in routes() if route.name in table])
    print(f"written to {TABLE}")


if __name__ == "__main__":
    main()
