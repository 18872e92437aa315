"""Slurm in its own words: the rules of a site, and the present state of its cluster.

What cannot be modelled is listed with the number of jobs that it touches. Nothing is ever changed on a cluster.
"""
