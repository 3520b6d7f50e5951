"""What is made of a legalized program: its execution on numpy arrays, orchestration code and the manifest."""
