"""Which part of a job's progress each of its stages takes: together they go from 0 to 1 and never back."""

READING = (0.0, 0.1)
READING_FOR_EVALUATION = (0.1, 0.15)
FINDING = (0.15, 0.95)
JUDGING = 0.95  # and on: a moment
