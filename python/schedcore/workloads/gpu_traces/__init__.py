"""Recorded workloads of clusters with GPUs."""
