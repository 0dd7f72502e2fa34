"""Maps: rows in two dimensions, where those that the model sees as alike lie side by side."""
