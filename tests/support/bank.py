"""A made-up bank with a planted concept, of any size, from a seed.

A customer defaults who has a credit account with more than two cash withdrawals, or a returned payment over 300. A
share of the labels (5 %) is turned. With ``cutoffs`` only transactions before a customer's ``as_of`` count.
"""

import numpy as np

from tests.support.raw_tables import RawTables, foreign_key, named, table
from tree_explainers.relational.schema import ColumnSchema, Schema

ACCOUNT_KINDS = ("credit", "current", "savings")
TRANSACTION_KINDS = ("card", "cash", "payment", "transfer")
STATUSES = ("booked", "returned")
REGIONS = ("east", "north", "south", "west")
_KEY, _NUMBER, _TIME = ColumnSchema("key"), ColumnSchema("number"), ColumnSchema("time")


def bank(
    n_customers: int = 300, seed: int = 0, *, noise: float = 0.05, cutoffs: bool = False, mean_transactions: float = 16
) -> RawTables:
    """Return customers, accounts (2.5 a customer) and transactions (``mean_transactions`` an account).

    Columns are lists of plain values (texts, floats, ints); large banks have arrays of NumPy, which pandas and Arrow
    read as well.
    """
    rng = np.random.default_rng(seed)
    customer_of = np.repeat(np.arange(n_customers), rng.poisson(1.5, n_customers) + 1)
    account_of = np.repeat(np.arange(len(customer_of)), rng.poisson(mean_transactions, len(customer_of)))
    account_kinds = rng.choice(3, len(customer_of), p=[0.25, 0.5, 0.25])
    kinds = rng.choice(4, len(account_of), p=[0.5, 0.08, 0.3, 0.12])
    amounts = np.round(rng.exponential(120.0, len(account_of)) + 1, 1)
    returned = (kinds == 2) & (rng.random(len(account_of)) < 0.03)
    times = rng.integers(0, 365, len(account_of)).astype(float)
    as_of = rng.integers(180, 365, n_customers).astype(float)
    counts = times < as_of[customer_of[account_of]] if cutoffs else np.ones(len(account_of), dtype=bool)
    withdrawals = np.bincount(account_of[(kinds == 1) & counts], minlength=len(customer_of))
    overdrawn = customer_of[(account_kinds == 0) & (withdrawals > 2)]
    bounced = customer_of[account_of[returned & counts & (amounts > 300)]]
    defaults = np.isin(np.arange(n_customers), np.concatenate([overdrawn, bounced]))
    defaults ^= rng.random(n_customers) < noise
    columns = {
        "customer": {
            "id": np.arange(n_customers),
            "region": np.array(REGIONS)[rng.choice(4, n_customers)],
            "age": rng.integers(18, 90, n_customers).astype(float),
            "as_of": as_of,
            "defaulted": np.array(["no", "yes"])[defaults.astype(int)],
        },
        "account": {
            "id": np.arange(len(customer_of)),
            "customer_id": customer_of,
            "kind": np.array(ACCOUNT_KINDS)[account_kinds],
            "limit": np.round(rng.gamma(2.0, 800.0, len(customer_of)), -2),
        },
        "transaction": {
            "account_id": account_of,
            "kind": np.array(TRANSACTION_KINDS)[kinds],
            "status": np.array(STATUSES)[returned.astype(int)],
            "amount": amounts,
            "booked_at": times,
        },
    }
    plain = {name: {column: values.tolist() for column, values in of.items()} for name, of in columns.items()}
    return RawTables(schema(cutoffs=cutoffs), plain if len(account_of) < 100_000 else columns)


def schema(*, cutoffs: bool = False) -> Schema:
    """Return the bank's schema."""
    tables = {
        "customer": table(
            {
                "id": _KEY,
                "region": ColumnSchema("category", REGIONS),
                "age": _NUMBER,
                "as_of": _TIME,
                "defaulted": ColumnSchema("category", ("no", "yes")),
            },
            ["id"],
        ),
        "account": table(
            {"id": _KEY, "customer_id": _KEY, "kind": ColumnSchema("category", ACCOUNT_KINDS), "limit": _NUMBER}, ["id"]
        ),
        "transaction": table(
            {
                "account_id": _KEY,
                "kind": ColumnSchema("category", TRANSACTION_KINDS),
                "status": ColumnSchema("category", STATUSES),
                "amount": _NUMBER,
                "booked_at": _TIME,
            },
            time="booked_at" if cutoffs else None,
        ),
    }
    keys = named(
        foreign_key("account", ["customer_id"], "customer", ["id"]),
        foreign_key("transaction", ["account_id"], "account", ["id"]),
    )
    return Schema(tables, keys, "customer", "defaulted", "as_of" if cutoffs else None)
