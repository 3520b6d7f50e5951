"""Python's own trees to ``syntax``, for the lines that most programs consist of.

Whether a unit is valid has been asked of Python already (``syntax_errors.check``): the tree it answered with says all
there is to know about plain statements, at a twentieth of what libcst takes, which need not be imported then either.
What a tree leaves out (parentheses, colons, commas) is looked up in the text. Everything else is libcst's
(``conversion``), which decides how units are to be understood: where both can, both give the same.
"""
