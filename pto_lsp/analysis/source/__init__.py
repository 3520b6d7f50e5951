"""Text, lines, logical lines and their syntax: everything that needs no knowledge of the DSL."""
