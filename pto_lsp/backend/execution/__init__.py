"""Execution of a program's tasks on numpy arrays."""
