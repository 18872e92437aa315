"""When machines cannot be used: texts, files and a model of failures."""
