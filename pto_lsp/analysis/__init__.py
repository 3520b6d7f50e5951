"""The analysis core: source text in, findings and plans out. Knows nothing of LSP or the command line."""
