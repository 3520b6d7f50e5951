"""What a line that Python cannot parse would bind, as far as its beginning says.

While the rest is being typed these names are unknown, not undefined: nothing is to be said of their uses.
"""

from __future__ import annotations

import keyword
import re

from pto_lsp.analysis.ir.expressions import Var
from pto_lsp.diagnostics import Span

_NAME = r"[^\W\d]\w*"
_NAMES = rf"\(?[ \t]*{_NAME}(?:[ \t]*,[ \t]*{_NAME})*[ \t]*,?[ \t]*\)?"
_ASSIGNMENT = re.compile(rf"({_NAMES})[ \t]*(?::[^=]*)?(?:[-+*/%@&|^]|//|\*\*|<<|>>)?=(?!=)")
_FOR = re.compile(rf"for[ \t]+({_NAMES})")
_WITH = re.compile(rf"with\b[\s\S]*\bas[ \t]+({_NAMES})")
_WORD = re.compile(_NAME)


def bound_by(text: str) -> tuple[Var, ...]:
    """The variables, of unknown type; spans count in ``text``, the unit text of the line."""
    found = _ASSIGNMENT.match(text) or _FOR.match(text) or _WITH.match(text)
    if found is None:
        return ()
    return tuple(
        [
            Var(word[0], word[0], span=Span(word.start(), word.end()))
            for word in _WORD.finditer(text, *found.span(1))
            if not keyword.iskeyword(word[0])
        ]
    )
