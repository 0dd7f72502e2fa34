"""Hara & Hayashi (2018), tables 2 to 4 and figures 4 and 5, done again; and what is printed beside what predicts."""
