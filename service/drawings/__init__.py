"""Drawings of what operations answer: views of the page, and files of HTML."""
