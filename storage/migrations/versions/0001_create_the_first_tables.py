"""Create the first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this revision."""
    op.create_table(
        "datasets",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=True),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.String(length=64), nullable=False),
        sa.Column("summary", sa.JSON(), nullable=False),
        sa.Column("metadata", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_datasets_created_at"), "datasets", ["created_at"], unique=False)
    op.create_table(
        "idempotency_keys",
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("request_sha256", sa.String(length=64), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("answer", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_index(op.f("ix_idempotency_keys_created_at"), "idempotency_keys", ["created_at"], unique=False)
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
        sa.Column("fraction", sa.Float(), nullable=False),
        sa.Column("stage", sa.String(length=255), nullable=False),
        sa.Column("message", sa.String(length=1000), nullable=False),
        sa.Column("problem", sa.JSON(), nullable=True),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.Column("started_at", sa.Float(), nullable=True),
        sa.Column("finished_at", sa.Float(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_jobs_artefact"), "jobs", ["artefact"], unique=False)
    op.create_index(op.f("ix_jobs_created_at"), "jobs", ["created_at"], unique=False)
    op.create_index(op.f("ix_jobs_status"), "jobs", ["status"], unique=False)
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
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_models_created_at"), "models", ["created_at"], unique=False)
    op.create_table(
        "artefacts",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("noun", sa.String(length=40), nullable=False),
        sa.Column("model", sa.String(length=40), nullable=False),
        sa.Column("dataset", sa.String(length=40), nullable=False),
        sa.Column("evaluation_dataset", sa.String(length=40), nullable=True),
        sa.Column("request", sa.JSON(), nullable=False),
        sa.Column("job", sa.String(length=40), nullable=False),
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
        sa.ForeignKeyConstraint(
            ["job"],
            ["jobs.id"],
        ),
        sa.ForeignKeyConstraint(
            ["model"],
            ["models.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("artefacts_by_noun", "artefacts", ["noun", "created_at"], unique=False)
    op.create_index(op.f("ix_artefacts_created_at"), "artefacts", ["created_at"], unique=False)
    op.create_index(op.f("ix_artefacts_dataset"), "artefacts", ["dataset"], unique=False)
    op.create_index(op.f("ix_artefacts_evaluation_dataset"), "artefacts", ["evaluation_dataset"], unique=False)
    op.create_index(op.f("ix_artefacts_model"), "artefacts", ["model"], unique=False)
    op.create_table(
        "explainers",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=True),
        sa.Column("model", sa.String(length=40), nullable=False),
        sa.Column("prototype_set", sa.String(length=40), nullable=False),
        sa.Column("request", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["model"],
            ["models.id"],
        ),
        sa.ForeignKeyConstraint(
            ["prototype_set"],
            ["artefacts.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_explainers_created_at"), "explainers", ["created_at"], unique=False)
    op.create_index(op.f("ix_explainers_model"), "explainers", ["model"], unique=False)
    op.create_index(op.f("ix_explainers_prototype_set"), "explainers", ["prototype_set"], unique=False)


def downgrade() -> None:
    """Leave this revision."""
    op.drop_index(op.f("ix_explainers_prototype_set"), table_name="explainers")
    op.drop_index(op.f("ix_explainers_model"), table_name="explainers")
    op.drop_index(op.f("ix_explainers_created_at"), table_name="explainers")
    op.drop_table("explainers")
    op.drop_index(op.f("ix_artefacts_model"), table_name="artefacts")
    op.drop_index(op.f("ix_artefacts_evaluation_dataset"), table_name="artefacts")
    op.drop_index(op.f("ix_artefacts_dataset"), table_name="artefacts")
    op.drop_index(op.f("ix_artefacts_created_at"), table_name="artefacts")
    op.drop_index("artefacts_by_noun", table_name="artefacts")
    op.drop_table("artefacts")
    op.drop_index(op.f("ix_models_created_at"), table_name="models")
    op.drop_table("models")
    op.drop_index(op.f("ix_jobs_status"), table_name="jobs")
    op.drop_index(op.f("ix_jobs_created_at"), table_name="jobs")
    op.drop_index(op.f("ix_jobs_artefact"), table_name="jobs")
    op.drop_table("jobs")
    op.drop_index(op.f("ix_idempotency_keys_created_at"), table_name="idempotency_keys")
    op.drop_table("idempotency_keys")
    op.drop_index(op.f("ix_datasets_created_at"), table_name="datasets")
    op.drop_table("datasets")
