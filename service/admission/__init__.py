"""Admission: how much callers may have done and held at once, in all and each of them."""
