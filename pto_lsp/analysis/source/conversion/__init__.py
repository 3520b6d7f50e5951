"""libcst trees to ``syntax``, with spans computed on the way.

libcst knows no positions without its metadata providers, which cost many times the parse. But it keeps every blank, so
adding up lengths while walking the tree from left to right gives each node its place. Every function here takes the
offset at which its node begins and returns what it made of it and the offset behind it.

Precondition: the tree stands at indentation zero (libcst keeps the indentation of a bracketed line elsewhere), and the
line end that libcst takes as the default is one character long.

Nesting is bounded (``nesting.py``) so that recursion is safe; chains, which may be longer, are walked in loops.
"""
