"""What readers of files share: text in blocks, tables, options, and an account of every row."""
