"""Orchestration code in C++ for the host_build_graph runtime, from a legalized program."""
