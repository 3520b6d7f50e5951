"""Parameter lists and annotations."""

from __future__ import annotations

from typing import Any

import libcst as cst

from pto_lsp.analysis.source import syntax
from pto_lsp.analysis.source.conversion.dispatch import expression
from pto_lsp.analysis.source.conversion.tokens import MISSING, blank, separator
from pto_lsp.diagnostics import Span


def annotation(node: cst.Annotation, indicator: int, pos: int) -> tuple[syntax.Expr, int]:
    """``: value`` or ``-> value``; ``indicator`` is the length of the mark."""
    return expression(
        node.annotation,
        pos + blank(node.whitespace_before_indicator) + indicator + blank(node.whitespace_after_indicator),
    )


def parameters(node: cst.Parameters, pos: int) -> tuple[tuple[syntax.Parameter, ...], int]:
    """The whole list between the parentheses of a ``def`` or behind ``lambda``, ``*`` and ``/`` included."""
    result = []
    ordered: list[Any] = [*node.posonly_params, node.posonly_ind, *node.params, node.star_arg, *node.kwonly_params]
    for part in (*ordered, node.star_kwarg):
        if part is MISSING or part is None:
            continue
        if type(part) is cst.Param:
            param, pos = parameter(part, pos)
        else:
            mark = "*" if type(part) is cst.ParamStar else "/"
            span = Span(pos, pos + 1)
            param = syntax.Parameter(mark, "", None, None, span, span)
            pos += 1
            if mark == "/":
                pos += blank(part.whitespace_after)
            pos += separator(part.comma)
        result.append(param)
    return tuple(result), pos


def parameter(node: cst.Param, start: int) -> tuple[syntax.Parameter, int]:
    """The returned offset is behind the comma, the span ends before it."""
    star = node.star if isinstance(node.star, str) else ""
    pos = start + len(star) + blank(node.whitespace_after_star)
    name = node.name.value
    name_span = Span(pos, pos + len(name))
    pos = end = name_span.end
    hint = default = None
    if node.annotation is not None:
        hint, pos = annotation(node.annotation, 1, pos)
        end = pos
    if node.default is not None:
        default, pos = expression(node.default, pos + separator(node.equal))
        end = pos
    pos += separator(node.comma) + blank(node.whitespace_after_param)
    return syntax.Parameter(name, star, hint, default, Span(start, end), name_span), pos
