"""Execution of a program's tasks on numpy arrays. The only place of the package that imports numpy."""
