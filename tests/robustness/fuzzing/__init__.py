"""What `tests.robustness.fuzz` is made of: a corpus, random edits, and one module for each way of being awkward."""
