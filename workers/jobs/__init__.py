"""Kinds of jobs: one file per artefact, taking inputs, calling one algorithm, packing its result."""
