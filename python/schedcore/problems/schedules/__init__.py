"""Schedules as files, Parquet or CSV: one row a job, a piece or a task."""
