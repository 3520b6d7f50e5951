"""Texts and lengths of what stands between expressions in a libcst tree: operators, separators, white space."""

from __future__ import annotations

from typing import Any

import libcst as cst

MISSING = cst.MaybeSentinel.DEFAULT

OPERATORS: dict[type[cst.CSTNode], str] = {
    cst.Add: "+",
    cst.Subtract: "-",
    cst.Multiply: "*",
    cst.Divide: "/",
    cst.FloorDivide: "//",
    cst.Modulo: "%",
    cst.Power: "**",
    cst.MatrixMultiply: "@",
    cst.LeftShift: "<<",
    cst.RightShift: ">>",
    cst.BitAnd: "&",
    cst.BitOr: "|",
    cst.BitXor: "^",
    cst.And: "and",
    cst.Or: "or",
    cst.Plus: "+",
    cst.Minus: "-",
    cst.BitInvert: "~",
    cst.Not: "not",
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
    cst.Equal: "==",
    cst.In: "in",
    cst.Is: "is",
    cst.AddAssign: "+",
    cst.SubtractAssign: "-",
    cst.MultiplyAssign: "*",
    cst.DivideAssign: "/",
    cst.FloorDivideAssign: "//",
    cst.ModuloAssign: "%",
    cst.PowerAssign: "**",
    cst.MatrixMultiplyAssign: "@",
    cst.LeftShiftAssign: "<<",
    cst.RightShiftAssign: ">>",
    cst.BitAndAssign: "&",
    cst.BitOrAssign: "|",
    cst.BitXorAssign: "^",
}
"""For an assignment in place without its equals sign."""
TWO_WORDS: dict[type[cst.CSTNode], tuple[str, str]] = {cst.NotIn: ("not", "in"), cst.IsNot: ("is", "not")}


def blank(space: Any) -> int:
    """Length of white space of any kind: blanks, continuation lines, comments and line ends inside brackets."""
    if type(space) is cst.SimpleWhitespace:
        return len(space.value)
    length = trailing(space.first_line) + len(space.last_line.value)
    for line in space.empty_lines:
        length += trailing(line)
    return length


def trailing(line: cst.TrailingWhitespace | cst.EmptyLine) -> int:
    """Length of blanks, comment and line end."""
    length = len(line.whitespace.value)
    if line.comment is not None:
        length += len(line.comment.value)
    newline = line.newline.value
    return length + (1 if newline is None else len(newline))


def token(node: Any, length: int) -> int:
    """Length of an operator or separator of ``length`` characters with the white space it owns."""
    before, after = node.whitespace_before, node.whitespace_after
    if type(before) is cst.SimpleWhitespace and type(after) is cst.SimpleWhitespace:
        return len(before.value) + length + len(after.value)
    return blank(before) + length + blank(after)


def separator(node: Any) -> int:
    """Length of an optional one-character separator (comma, semicolon, colon) with the white space it owns."""
    return 0 if node is MISSING or node is None else token(node, 1)


def code_length(node: cst.CSTNode) -> int:
    """Length of any node, the slow way; for what ``syntax`` does not describe."""
    return len(cst.Module(body=()).code_for_node(node))
