"""What keeps generated files in step with the code."""
