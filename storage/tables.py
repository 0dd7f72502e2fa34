"""Tables: the rows that say which models, datasets, artefacts, explainers, names, jobs and API keys exist.

Times are seconds since 1970 in UTC as floats, so that leases compare alike in every database.
"""

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

models = Table(
    "models",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("name", String(255)),
    Column("sha256", String(64), nullable=False),  # the uploaded bytes
    Column("size_bytes", BigInteger, nullable=False),
    Column("leaf_graph", String(64), nullable=False),  # object: the graph that also returns leaves
    Column("ensemble", String(64), nullable=False),  # object: the trees as flat arrays
    Column("description", JSON, nullable=False),
    Column("metadata", JSON, nullable=False),
    Column("parity", JSON),
    Column("listed", JSON, nullable=False),  # what lists show of it: small, whatever its description holds
    Column("created_at", Float, nullable=False, index=True),
)

datasets = Table(
    "datasets",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("name", String(255)),
    Column("sha256", String(64), nullable=False),  # the uploaded bytes, or the manifest
    Column("size_bytes", BigInteger, nullable=False),
    Column("content", String(64), nullable=False),  # object: the same rows as normalised Parquet, or the manifest
    Column("summary", JSON, nullable=False),
    Column("metadata", JSON, nullable=False),
    # Whose features its columns are. No foreign key: artefacts refer to datasets already, and tables need an order.
    Column("feature_set", String(40), index=True),
    Column("source", JSON(none_as_null=True)),  # of datasets by reference: the address of their files, and how many
    Column("listed", JSON, nullable=False),  # what lists show of it: small, whatever its summary holds
    Column("created_at", Float, nullable=False, index=True),
)

# Words for datasets, by the dataset's id; it stays without words where these were deleted. It goes with the dataset,
# unless it hides features: what was made before keeps them, and may be read later.
dictionaries = Table(
    "dictionaries",
    metadata,
    Column("id", String(40), primary_key=True),  # of the dataset
    Column("revision", BigInteger, nullable=False),  # grows with each change
    Column("words", JSON(none_as_null=True)),  # null: they were deleted
    Column("hidden_since", JSON, nullable=False),  # by hidden feature, the revision that hid it
    Column("n_bytes", Integer, nullable=False),  # of the words as JSON
    Column("caller", String(40)),  # id of the API key that saved them; null: none was required
)

relational_datasets = Table(
    "relational_datasets",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("name", String(255)),
    Column("size_bytes", BigInteger, nullable=False),  # of all uploaded files
    Column("arrays", String(64), nullable=False),  # object: parents, times and cutoffs of rows
    Column("summary", JSON, nullable=False),
    Column("metadata", JSON, nullable=False),
    Column("listed", JSON, nullable=False),  # what lists show of it: small, whatever its summary holds
    Column("created_at", Float, nullable=False, index=True),
)

relational_tables = Table(
    "relational_tables",
    metadata,
    Column("dataset", String(40), ForeignKey("relational_datasets.id"), primary_key=True),
    Column("position", Integer, primary_key=True),  # in the metadata
    Column("name", String(255), nullable=False),
    Column("sha256", String(64), nullable=False),  # the uploaded bytes
    Column("size_bytes", BigInteger, nullable=False),
    Column("content", String(64), nullable=False),  # object: the same rows as normalised Parquet
)

jobs = Table(
    "jobs",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("kind", String(40), nullable=False),
    Column("artefact", String(40), nullable=False, index=True),
    Column("request", JSON, nullable=False),
    Column("status", String(16), nullable=False, index=True),
    Column("attempt", Integer, nullable=False),
    Column("max_attempts", Integer, nullable=False),
    Column("token", String(64)),  # fences off an attempt that lost its lease
    Column("lease_until", Float),
    Column("not_before", Float, nullable=False),  # back-off between attempts
    Column("deadline_seconds", Float, nullable=False),  # of running time, counted from started_at
    Column("estimated_seconds", Float),  # of running time
    Column("fraction", Float, nullable=False),
    Column("stage", String(255), nullable=False),
    Column("message", String(1000), nullable=False),
    Column("problem", JSON),
    Column("request_id", String(64)),  # of the request that created it, as in logs
    Column("caller", String(40)),  # id of the API key that it came with
    Column("created_at", Float, nullable=False, index=True),
    Column("started_at", Float),
    Column("finished_at", Float, index=True),
)

Index("jobs_by_status_and_caller", jobs.c.status, jobs.c.caller)
Index("jobs_by_place", jobs.c.status, jobs.c.created_at, jobs.c.id, jobs.c.estimated_seconds)

artefacts = Table(
    "artefacts",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("noun", String(40), nullable=False),
    # What it was made from; of a relational forest, what it published.
    Column("model", String(40), ForeignKey("models.id"), index=True),
    Column("other_model", String(40), ForeignKey("models.id"), index=True),  # that it is compared with
    Column("dataset", String(40), ForeignKey("datasets.id"), index=True),
    Column("evaluation_dataset", String(40), ForeignKey("datasets.id"), index=True),
    Column("generator_dataset", String(40), ForeignKey("datasets.id"), index=True),  # whose rows are drawn
    Column(
        "relational_dataset",
        String(40),
        ForeignKey("relational_datasets.id", name="artefacts_relational_dataset_fkey"),
        index=True,
    ),
    Column("feature_set", String(40), ForeignKey("artefacts.id", name="artefacts_feature_set_fkey"), index=True),
    Column("request", JSON, nullable=False),
    Column("job", String(40), ForeignKey("jobs.id")),  # null where it was made at once
    Column("result", String(64)),  # object: the result as JSON; null until it is ready
    Column("arrays", String(64)),  # object: what explainers need of it, as arrays
    Column("created_at", Float, nullable=False, index=True),
)
Index("artefacts_by_noun", artefacts.c.noun, artefacts.c.created_at)

artefact_files = Table(
    "artefact_files",
    metadata,
    Column("artefact", String(40), ForeignKey("artefacts.id"), primary_key=True),
    Column("name", String(255), primary_key=True),
    Column("object", String(64), nullable=False),
)

explainers = Table(
    "explainers",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("name", String(255)),
    Column("model", String(40), ForeignKey("models.id"), nullable=False, index=True),
    Column("prototype_set", String(40), ForeignKey("artefacts.id"), nullable=False, index=True),
    Column("rule_set", String(40), ForeignKey("artefacts.id", name="explainers_rule_set_fkey"), index=True),
    Column(
        "approximation_tree",
        String(40),
        ForeignKey("artefacts.id", name="explainers_approximation_tree_fkey"),
        index=True,
    ),
    Column("request", JSON, nullable=False),
    Column("created_at", Float, nullable=False, index=True),
)

explainer_names = Table(
    "explainer_names",
    metadata,
    Column("id", String(63), primary_key=True),  # the name itself
    Column("explainer", String(40), ForeignKey("explainers.id"), nullable=False, index=True),
    Column("last_change", String(40), nullable=False),  # id of the change that led to this state
    Column("created_at", Float, nullable=False, index=True),
    Column("changed_at", Float, nullable=False),
)

# What it names may be deleted by now.
explainer_name_changes = Table(
    "explainer_name_changes",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("name", String(63), nullable=False),
    Column("explainer", String(40)),  # null where the name was deleted
    Column("previous_explainer", String(40)),  # null where the name was new
    Column("forced", Boolean, nullable=False),
    Column("caller", String(40)),  # id of the API key that made the change
    Column("created_at", Float, nullable=False),
)
Index("explainer_name_changes_by_name", explainer_name_changes.c.name, explainer_name_changes.c.created_at)

# Appended to, and never changed: the entry of a row with the greatest number is in force.
label_decisions = Table(
    "label_decisions",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("label_audit", String(40), ForeignKey("artefacts.id"), nullable=False),
    Column("row", Integer, nullable=False),
    Column("number", Integer, nullable=False),  # 1-based, among the entries of the row
    Column("row_id", Text, nullable=False),
    Column("decision", String(16), nullable=False),
    Column("label", Text, nullable=False),  # of the row in the dataset
    Column("new_label", Text, nullable=False),
    Column("is_suggested", Boolean, nullable=False),  # whether the audit suggests another label for the row
    Column("note", Text),
    Column("replaces", String(40)),  # id of the row's entry before
    Column("caller", String(40)),  # id of the API key
    Column("created_at", Float, nullable=False),
    UniqueConstraint("label_audit", "row", "number", name="label_decisions_of_a_row"),
)
Index("label_decisions_by_time", label_decisions.c.label_audit, label_decisions.c.created_at)

# What it names may be deleted by now.
explanations = Table(
    "explanations",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("explainer", String(40), nullable=False),
    Column("explainer_name", String(63)),  # that it was called by
    Column("row_id", String(255), nullable=False),
    Column("caller", String(40)),  # id of the API key, never the key
    Column("model_sha256", String(64), nullable=False),
    Column("provenance", JSON, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("dataset", String(40), nullable=False),  # of the explainer, whose dictionary was used
    Column("dictionary_revision", BigInteger, nullable=False),
    Column("request", Text, nullable=False),  # JSON
    Column("response", Text, nullable=False),  # JSON, byte for byte as it was answered
    Column("n_bytes", Integer, nullable=False),  # of both
    Column("digest", String(64), nullable=False),  # SHA-256 of the response
    Column("created_at", Float, nullable=False, index=True),
)
Index("explanations_by_row", explanations.c.row_id, explanations.c.explainer)
Index("explanations_by_explainer", explanations.c.explainer, explanations.c.created_at)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("caller", String(40), primary_key=True),  # id of an API key; empty where none is required
    Column("key", String(255), primary_key=True),
    Column("request_sha256", String(64), nullable=False),
    Column("status", Integer),  # null while the thing is being made
    Column("thing", String(40), index=True),  # id of what was made or found; null likewise
    Column("token", String(64)),  # of the request that makes it
    Column("created_at", Float, nullable=False, index=True),
)

api_keys = Table(
    "api_keys",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("name", String(255), nullable=False),
    Column("scopes", JSON, nullable=False),
    Column("sha256", String(64), nullable=False),  # of the secret, which is not kept
    Column("created_at", Float, nullable=False, index=True),
    Column("expires_at", Float),  # null: never
    Column("last_used_at", Float),
)

database_ids = Table(
    "database_ids",
    metadata,
    Column("position", Integer, primary_key=True, autoincrement=False),  # 0: there is one row
    Column("id", String(32), nullable=False),  # random; the store of objects is marked with it
)

leaf_tables = Table(
    "leaf_tables",
    metadata,
    Column("model", String(40), ForeignKey("models.id"), primary_key=True),
    Column("dataset", String(40), ForeignKey("datasets.id"), primary_key=True, index=True),
    Column("revision", Integer, primary_key=True),
    Column("codes", String(64), nullable=False),  # object: the leaf of each row in each tree, mapped when read
    Column("outcome", String(64), nullable=False),  # object: scores and labels as arrays
    Column("size_bytes", BigInteger, nullable=False),  # of both
    Column("created_at", Float, nullable=False),
)

OBJECT_COLUMNS = (
    models.c.sha256,
    models.c.leaf_graph,
    models.c.ensemble,
    datasets.c.sha256,
    datasets.c.content,
    relational_datasets.c.arrays,
    relational_tables.c.sha256,
    relational_tables.c.content,
    artefacts.c.result,
    artefacts.c.arrays,
    artefact_files.c.object,
    leaf_tables.c.codes,
    leaf_tables.c.outcome,
)
"""Every column that refers to objects; the same bytes may be a result of one thing and the upload of another."""

USES_OF_MODELS: tuple[Column[str], ...] = (
    explainers.c.model,
    artefacts.c.model,
    artefacts.c.other_model,
)
"""Columns that refer to models: a model that one of them names cannot be deleted."""
USES_OF_DATASETS: tuple[Column[str], ...] = (
    artefacts.c.dataset,
    artefacts.c.evaluation_dataset,
    artefacts.c.generator_dataset,
)
"""Columns that refer to datasets: a dataset that one of them names cannot be deleted."""
USES_OF_RELATIONAL_DATASETS: tuple[Column[str], ...] = (artefacts.c.relational_dataset,)
"""Columns that refer to relational datasets: one that one of them names cannot be deleted."""
