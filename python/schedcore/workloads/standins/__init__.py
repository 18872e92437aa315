"""Synthetic stand-ins for recorded traces, for users without the data sets."""
