"""Instances out of instances: job sets, controlled conditions, weights, estimates and placements."""
