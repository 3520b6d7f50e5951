"""What is wrong with a task graph: one function per family of rules, all of them ``check(graph)``."""
