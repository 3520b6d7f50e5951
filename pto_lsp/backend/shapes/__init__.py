"""Types and shapes for parameters that a program leaves open: a bare ``pl.Tensor`` gets them from its call."""
