"""The rules: one module each with page, examples and, where the core does not decide it already, its condition."""
