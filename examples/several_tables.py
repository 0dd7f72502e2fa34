"""Customers, accounts and transactions as they are: a forest over three tables, and one tree that is SQL over them.

Start a service first: ``leafspace serve``. The parts between ``# %%`` are cells in editors that know notebooks.
"""

# %% A bank. Who has a credit account with over two cash withdrawals, or a returned payment over 300, defaults: we know
# that, the forest does not. One customer in twenty does otherwise.
import os
import sqlite3

import numpy as np
import pandas as pd
from leafspace_client import Leafspace

MANY_WITHDRAWALS, LARGE_PAYMENT, NOISE = 2, 300, 0.05
rng = np.random.default_rng(0)
customer = pd.DataFrame({"id": np.arange(1_500), "age": rng.integers(18, 90, 1_500)})
owners = np.repeat(customer["id"].to_numpy(), rng.poisson(1.5, len(customer)) + 1)
account = pd.DataFrame({"id": np.arange(len(owners)) + 10_000, "customer_id": owners})
account["kind"] = rng.choice(["credit", "current", "savings"], len(account), p=[0.25, 0.5, 0.25])
transaction = pd.DataFrame({"account_id": np.repeat(account["id"].to_numpy(), rng.poisson(12, len(account)))})
transaction["kind"] = rng.choice(["card", "cash", "payment"], len(transaction), p=[0.6, 0.1, 0.3])
transaction["amount"] = np.round(rng.exponential(120, len(transaction)), 2)
transaction["status"] = rng.choice(["booked", "returned"], len(transaction), p=[0.96, 0.04])

booked = transaction.merge(account, left_on="account_id", right_on="id", suffixes=("", "_of_account"))
cash = booked[(booked["kind"] == "cash") & (booked["kind_of_account"] == "credit")]
withdrawals = cash.groupby(["account_id", "customer_id"]).size()
overdrawn = withdrawals[withdrawals > MANY_WITHDRAWALS].index.get_level_values("customer_id")
is_returned = (booked["kind"] == "payment") & (booked["status"] == "returned")
bounced = booked.loc[is_returned & (booked["amount"] > LARGE_PAYMENT), "customer_id"]
truth = customer["id"].isin([*overdrawn, *bounced])
customer["defaulted"] = np.where(truth ^ (rng.random(len(customer)) < NOISE), "yes", "no")
tables = {"customer": customer, "account": account, "transaction": transaction}

# %% Three tables are registered as one thing; keys that have the usual names are found
client = Leafspace(os.environ.get("LEAFSPACE_URL", "http://127.0.0.1:8000"))
bank = client.register_relational_dataset(tables, examples="customer", target="defaulted", name="bank")
print(bank)

# %% A forest whose tests are questions about accounts and their transactions
forest = client.relational_forests.create(bank, method="forf", n_trees=11).wait(progress=True)
print(forest)

# %% One tree that approximates the forest: in words, and as SQL that runs on the raw tables
tree = client.approximation_trees.create(forest.model, forest.dataset, method="ism", max_depth=4).wait()
print(tree)
query = tree.export("sql")
print(query)

# %% Any database with these tables answers it
with sqlite3.connect(":memory:") as database:
    for name, table in tables.items():
        table.to_sql(name, database, index=False)
    predicted = pd.read_sql(query, database)
of_customers = predicted.set_index("id").loc[customer["id"], "prediction"]
is_right = of_customers.to_numpy() == np.where(truth, "yes", "no")
print(f"The SQL is right about {is_right.mean():.1%} of the customers, whatever their labels say.")

# %% A prediction for one customer, explained by customers like this one; the rows go as they are
prototypes = client.prototype_sets.create(forest.model, forest.dataset, n_prototypes=6).wait()
explainer = client.explainers.create(forest.model, prototypes)
own_accounts = account[account["customer_id"] == overdrawn[0]]
own = {
    "customer": customer[customer["id"] == overdrawn[0]].drop(columns="defaulted"),
    "account": own_accounts,
    "transaction": transaction[transaction["account_id"].isin(own_accounts["id"])],
}
print(explainer.explain([own])[0])
