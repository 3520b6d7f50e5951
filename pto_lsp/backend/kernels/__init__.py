"""Kernels in PTO-ISA tile code (C++), one file per kernel."""
