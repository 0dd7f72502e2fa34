"""A schema that has everything: children, parents, two ways between the same tables, a self-reference, times."""

from tree_explainers.relational.schema import ColumnKind, ColumnSchema, RelationshipSchema, Schema, TableSchema


def _table(time: str | None = None, **columns: ColumnKind | tuple[str, ...]) -> TableSchema:
    described = {
        name: ColumnSchema("category", kind) if isinstance(kind, tuple) else ColumnSchema(kind)
        for name, kind in columns.items()
    }
    return TableSchema(described, ("id",) if "id" in columns else (), time)


def _relationship(child: str, column: str, parent: str) -> tuple[str, RelationshipSchema]:
    return f"{child}.{column}", RelationshipSchema(child, (column,), parent, ("id",))


BANK = Schema(
    tables={
        "customer": _table(
            id="key",
            age="number",
            is_vip="boolean",
            defaulted=("no", "yes"),
            as_of="time",
            branch_id="key",
            adviser_id="key",
        ),
        "branch": _table(id="key", region=("east", "north"), n_desks="number"),
        "employee": _table(id="key", grade=("a", "b"), salary="number", manager_id="key"),
        "account": _table(
            id="key", kind=("credit", "debit"), balance="number", customer_id="key", holder_id="key", opened_at="time"
        ),
        "transaction": _table(
            time="booked_at", amount="number", kind=("cash", "transfer"), account_id="key", booked_at="time"
        ),
    },
    relationships=dict(
        [
            _relationship("customer", "branch_id", "branch"),
            _relationship("customer", "adviser_id", "employee"),
            _relationship("employee", "manager_id", "employee"),
            _relationship("account", "customer_id", "customer"),
            _relationship("account", "holder_id", "customer"),
            _relationship("transaction", "account_id", "account"),
        ]
    ),
    examples="customer",
    target="defaulted",
    cutoff="as_of",
)
