"""One script per claim of speed or quality; what each printed is in results/."""
