"""Admission: how much callers may send, have under way and leave unread."""
