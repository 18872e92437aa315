"""Pages to pass on: what all HTML pages share, and the page about a comparison of policies."""
