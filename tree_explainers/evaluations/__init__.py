"""Evaluations: rates, curves, calibration and errors of predictions whose truth is known, with intervals."""
