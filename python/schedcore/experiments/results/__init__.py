"""Rows of results as files, and the numbers behind figures."""
