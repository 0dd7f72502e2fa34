"""What the manual (`conf.py`) adds to Sphinx."""
