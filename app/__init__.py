"""The web page: debates, essays and runs, over the same flows as the command line."""
