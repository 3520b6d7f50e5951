"""What is made of a legalized program: so far its execution on numpy arrays."""
