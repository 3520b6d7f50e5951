"""Compiling documents when they are saved or somebody asks: in a process of its own, so that typing never waits."""
