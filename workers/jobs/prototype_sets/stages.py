"""Which part of a job's progress each of its stages takes: together they go from 0 to 1 and never back."""

READING = (0.0, 0.2)
READING_FOR_EVALUATION = (0.2, 0.25)
CHOOSING = (0.25, 0.6)
CERTIFYING = (0.6, 0.85)
MEASURING = (0.85, 0.88)
EVALUATING = (0.88, 0.92)
COMPARING = (0.92, 1.0)
