"""Jobs: one file per artefact; each takes its inputs, calls one algorithm, packs the result."""
