"""Which part of a job's progress each of its stages takes: together they go from 0 to 1 and never back."""

READING = (0.0, 0.05)
READING_FOR_EVALUATION = (0.05, 0.08)
GROWING = (0.08, 0.97)
JUDGING = 0.97  # and on: a moment
