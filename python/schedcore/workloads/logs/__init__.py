"""Logs of parallel machines: Standard Workload Format, Slurm's accounting and Batsim, read and written."""
