"""Instances out of formulas: models of rigid jobs, samples of tasks, and the families behind theorems."""
