"""The tables of the first release."""

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this revision."""
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("expires_at", sa.Float(), nullable=True),
        sa.Column("last_used_at", sa.Float(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_api_keys_created_at"), "api_keys", ["created_at"], unique=False)
    op.create_table(
        "database_ids",
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("position"),
    )
    op.create_table(
        "datasets",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=True),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.String(length=64), nullable=False),
        sa.Column("summary", sa.JSON(), nullable=False),
        sa.Column("metadata", sa.JSON(), nullable=False),
        sa.Column("feature_set", sa.String(length=40), nullable=True),
        sa.Column("source", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("listed", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_datasets_created_at"), "datasets", ["created_at"], unique=False)
    op.create_index(op.f("ix_datasets_feature_set"), "datasets", ["feature_set"], unique=False)
    op.create_table(
        "explainer_name_changes",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=63), nullable=False),
        sa.Column("explainer", sa.String(length=40), nullable=True),
        sa.Column("previous_explainer", sa.String(length=40), nullable=True),
        sa.Column("forced", sa.Boolean(), nullable=False),
        sa.Column("caller", sa.String(length=40), nullable=True),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("explainer_name_changes_by_name", "explainer_name_changes", ["name", "created_at"], unique=False)
    op.create_table(
        "explanations",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("explainer", sa.String(length=40), nullable=False),
        sa.Column("explainer_name", sa.String(length=63), nullable=True),
        sa.Column("row_id", sa.String(length=255), nullable=False),
        sa.Column("caller", sa.String(length=40), nullable=True),
        sa.Column("model_sha256", sa.String(length=64), nullable=False),
        sa.Column("provenance", sa.JSON(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("dataset", sa.String(length=40), nullable=False),
        sa.Column("dictionary_revision", sa.BigInteger(), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("response", sa.Text(), nullable=False),
        sa.Column("n_bytes", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("explanations_by_explainer", "explanations", ["explainer", "created_at"], unique=False)
    op.create_index("explanations_by_row", "explanations", ["row_id", "explainer"], unique=False)
    op.create_index(op.f("ix_explanations_created_at"), "explanations", ["created_at"], unique=False)
    op.create_table(
        "idempotency_keys",
        sa.Column("caller", sa.String(length=40), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("request_sha256", sa.String(length=64), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("thing", sa.String(length=40), nullable=True),
        sa.Column("token", sa.String(length=64), nullable=True),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("caller", "key"),
    )
    op.create_index(op.f("ix_idempotency_keys_created_at"), "idempotency_keys", ["created_at"], unique=False)
    op.create_index(op.f("ix_idempotency_keys_thing"), "idempotency_keys", ["thing"], unique=False)
    op.create_table(
        "jobs",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("artefact", sa.String(length=40), nullable=False),
        sa.Column("request", sa.JSON(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("max_attempts", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(length=64), nullable=True),
        sa.Column("lease_until", sa.Float(), nullable=True),
        sa.Column("not_before", sa.Float(), nullable=False),
        sa.Column("deadline_seconds", sa.Float(), nullable=False),
        sa.Column("estimated_seconds", sa.Float(), nullable=True),
        sa.Column("fraction", sa.Float(), nullable=False),
        sa.Column("stage", sa.String(length=255), nullable=False),
        sa.Column("message", sa.String(length=1000), nullable=False),
        sa.Column("problem", sa.JSON(), nullable=True),
        sa.Column("request_id", sa.String(length=64), nullable=True),
        sa.Column("caller", sa.String(length=40), nullable=True),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("started_at", sa.Float(), nullable=True),
        sa.Column("finished_at", sa.Float(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_jobs_artefact"), "jobs", ["artefact"], unique=False)
    op.create_index(op.f("ix_jobs_created_at"), "jobs", ["created_at"], unique=False)
    op.create_index(op.f("ix_jobs_finished_at"), "jobs", ["finished_at"], unique=False)
    op.create_index(op.f("ix_jobs_status"), "jobs", ["status"], unique=False)
    op.create_index("jobs_by_place", "jobs", ["status", "created_at", "id", "estimated_seconds"], unique=False)
    op.create_index("jobs_by_status_and_caller", "jobs", ["status", "caller"], unique=False)
    op.create_table(
        "models",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=True),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("leaf_graph", sa.String(length=64), nullable=False),
        sa.Column("ensemble", sa.String(length=64), nullable=False),
        sa.Column("description", sa.JSON(), nullable=False),
        sa.Column("metadata", sa.JSON(), nullable=False),
        sa.Column("parity", sa.JSON(), nullable=True),
        sa.Column("listed", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_models_created_at"), "models", ["created_at"], unique=False)
    op.create_table(
        "relational_datasets",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=True),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("arrays", sa.String(length=64), nullable=False),
        sa.Column("summary", sa.JSON(), nullable=False),
        sa.Column("metadata", sa.JSON(), nullable=False),
        sa.Column("listed", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_relational_datasets_created_at"), "relational_datasets", ["created_at"], unique=False)
    op.create_table(
        "artefacts",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("noun", sa.String(length=40), nullable=False),
        sa.Column("model", sa.String(length=40), nullable=True),
        sa.Column("other_model", sa.String(length=40), nullable=True),
        sa.Column("dataset", sa.String(length=40), nullable=True),
        sa.Column("evaluation_dataset", sa.String(length=40), nullable=True),
        sa.Column("generator_dataset", sa.String(length=40), nullable=True),
        sa.Column("relational_dataset", sa.String(length=40), nullable=True),
        sa.Column("feature_set", sa.String(length=40), nullable=True),
        sa.Column("request", sa.JSON(), nullable=False),
        sa.Column("job", sa.String(length=40), nullable=True),
        sa.Column("result", sa.String(length=64), nullable=True),
        sa.Column("arrays", sa.String(length=64), nullable=True),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset"],
            ["datasets.id"],
        ),
        sa.ForeignKeyConstraint(
            ["evaluation_dataset"],
            ["datasets.id"],
        ),
        sa.ForeignKeyConstraint(["feature_set"], ["artefacts.id"], name="artefacts_feature_set_fkey"),
        sa.ForeignKeyConstraint(
            ["generator_dataset"],
            ["datasets.id"],
        ),
        sa.ForeignKeyConstraint(
            ["job"],
            ["jobs.id"],
        ),
        sa.ForeignKeyConstraint(
            ["model"],
            ["models.id"],
        ),
        sa.ForeignKeyConstraint(
            ["other_model"],
            ["models.id"],
        ),
        sa.ForeignKeyConstraint(
            ["relational_dataset"], ["relational_datasets.id"], name="artefacts_relational_dataset_fkey"
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("artefacts_by_noun", "artefacts", ["noun", "created_at"], unique=False)
    op.create_index(op.f("ix_artefacts_created_at"), "artefacts", ["created_at"], unique=False)
    op.create_index(op.f("ix_artefacts_dataset"), "artefacts", ["dataset"], unique=False)
    op.create_index(op.f("ix_artefacts_evaluation_dataset"), "artefacts", ["evaluation_dataset"], unique=False)
    op.create_index(op.f("ix_artefacts_feature_set"), "artefacts", ["feature_set"], unique=False)
    op.create_index(op.f("ix_artefacts_generator_dataset"), "artefacts", ["generator_dataset"], unique=False)
    op.create_index(op.f("ix_artefacts_model"), "artefacts", ["model"], unique=False)
    op.create_index(op.f("ix_artefacts_other_model"), "artefacts", ["other_model"], unique=False)
    op.create_index(op.f("ix_artefacts_relational_dataset"), "artefacts", ["relational_dataset"], unique=False)
    op.create_table(
        "leaf_tables",
        sa.Column("model", sa.String(length=40), nullable=False),
        sa.Column("dataset", sa.String(length=40), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("codes", sa.String(length=64), nullable=False),
        sa.Column("outcome", sa.String(length=64), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset"],
            ["datasets.id"],
        ),
        sa.ForeignKeyConstraint(
            ["model"],
            ["models.id"],
        ),
        sa.PrimaryKeyConstraint("model", "dataset", "revision"),
    )
    op.create_index(op.f("ix_leaf_tables_dataset"), "leaf_tables", ["dataset"], unique=False)
    op.create_table(
        "relational_tables",
        sa.Column("dataset", sa.String(length=40), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["dataset"],
            ["relational_datasets.id"],
        ),
        sa.PrimaryKeyConstraint("dataset", "position"),
    )
    op.create_table(
        "artefact_files",
        sa.Column("artefact", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("object", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["artefact"],
            ["artefacts.id"],
        ),
        sa.PrimaryKeyConstraint("artefact", "name"),
    )
    op.create_table(
        "explainers",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=True),
        sa.Column("model", sa.String(length=40), nullable=False),
        sa.Column("prototype_set", sa.String(length=40), nullable=False),
        sa.Column("rule_set", sa.String(length=40), nullable=True),
        sa.Column("approximation_tree", sa.String(length=40), nullable=True),
        sa.Column("request", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["approximation_tree"], ["artefacts.id"], name="explainers_approximation_tree_fkey"),
        sa.ForeignKeyConstraint(
            ["model"],
            ["models.id"],
        ),
        sa.ForeignKeyConstraint(
            ["prototype_set"],
            ["artefacts.id"],
        ),
        sa.ForeignKeyConstraint(["rule_set"], ["artefacts.id"], name="explainers_rule_set_fkey"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_explainers_approximation_tree"), "explainers", ["approximation_tree"], unique=False)
    op.create_index(op.f("ix_explainers_created_at"), "explainers", ["created_at"], unique=False)
    op.create_index(op.f("ix_explainers_model"), "explainers", ["model"], unique=False)
    op.create_index(op.f("ix_explainers_prototype_set"), "explainers", ["prototype_set"], unique=False)
    op.create_index(op.f("ix_explainers_rule_set"), "explainers", ["rule_set"], unique=False)
    op.create_table(
        "label_decisions",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("label_audit", sa.String(length=40), nullable=False),
        sa.Column("row", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("row_id", sa.Text(), nullable=False),
        sa.Column("decision", sa.String(length=16), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("new_label", sa.Text(), nullable=False),
        sa.Column("is_suggested", sa.Boolean(), nullable=False),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("replaces", sa.String(length=40), nullable=True),
        sa.Column("caller", sa.String(length=40), nullable=True),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["label_audit"],
            ["artefacts.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("label_audit", "row", "number", name="label_decisions_of_a_row"),
    )
    op.create_index("label_decisions_by_time", "label_decisions", ["label_audit", "created_at"], unique=False)
    op.create_table(
        "explainer_names",
        sa.Column("id", sa.String(length=63), nullable=False),
        sa.Column("explainer", sa.String(length=40), nullable=False),
        sa.Column("last_change", sa.String(length=40), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("changed_at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["explainer"],
            ["explainers.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_explainer_names_created_at"), "explainer_names", ["created_at"], unique=False)
    op.create_index(op.f("ix_explainer_names_explainer"), "explainer_names", ["explainer"], unique=False)
    op.create_table(
        "dictionaries",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("words", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("hidden_since", sa.JSON(), nullable=False),
        sa.Column("n_bytes", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )


def downgrade() -> None:
    """Leave this revision; the indexes go with their tables, and tables before those that they refer to."""
    for name in (
        "dictionaries",
        "explainer_names",
        "label_decisions",
        "explainers",
        "artefact_files",
        "relational_tables",
        "leaf_tables",
        "artefacts",
        "relational_datasets",
        "models",
        "jobs",
        "idempotency_keys",
        "explanations",
        "explainer_name_changes",
        "datasets",
        "database_ids",
        "api_keys",
    ):
        op.drop_table(name)
