"""Tan et al. (2020), table 1, and A-PETE (2024), table 2, done again with what this project offers."""
