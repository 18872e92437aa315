"""The drawings of comparisons, by what they show."""
