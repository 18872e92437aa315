"""Tables of jobs that somebody made by hand or by a script: which column means what, in which unit, and the jobs."""
