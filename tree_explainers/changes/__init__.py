"""What would change a prediction: all steps of its scores, and the smallest changes that give another outcome."""
