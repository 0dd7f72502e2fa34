"""The language: every noun of the API as a pydantic model, and nothing else."""
