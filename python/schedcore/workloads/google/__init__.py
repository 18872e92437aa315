"""Google's cluster trace of 2011, version 2.1."""
