"""A Graph function that is called once becomes a ``with pl.graph(...)`` region in its caller (rules.md O21)."""

from __future__ import annotations

import re

from pto_lsp.analysis.ir.program import Param
from pto_lsp.analysis.source.logical_lines import LineKind, LogicalLine
from pto_lsp.quickfix.call_text import CallText, call_text
from pto_lsp.quickfix.callers import Callers, TextualCall
from pto_lsp.quickfix.context import Draft
from pto_lsp.quickfix.mentions import mentions
from pto_lsp.quickfix.places import FunctionText
from pto_lsp.quickfix.rewriter import Refused, Rewriter

STEP = "    "
_RETURN = re.compile(r"return\b\s*(?:\(?([\w, ]*?),?\)?)?")
_TARGETS = re.compile(r"([\w, ]+?)\s*=\s*(?=[\w.]+\()")


def build(text: FunctionText, params: tuple[Param, ...], callers: Callers) -> Draft:
    """``text`` is the Graph function. Raises `Refused`."""
    if len(callers.calls) != 1:
        raise Refused("the Graph is not called exactly once")
    call = callers.calls[0]
    caller = call.caller
    written = call_text(call, params)
    line = caller.line(call.statement.at)
    if (caller.path, caller.placed.function.owner) != (text.path, text.placed.function.owner):
        raise Refused("the caller is in another file or class")
    if written is None or line is None or line.kind is not LineKind.SIMPLE or len(written.arguments) != len(params):
        raise Refused("the call has a form of its own")
    target = _TARGETS.match(line.text)
    called = line.text[target.end() if target is not None else 0 :]
    if not called.startswith((f"{text.placed.found.name}(", f"self.{text.placed.found.name}(")):
        raise Refused("the call is a part of something else")
    return _written(text, params, call, written, line, _words(target[1]) if target else [], callers.complete)


def _written(
    text: FunctionText,
    params: tuple[Param, ...],
    call: TextualCall,
    written: CallText,
    line: LogicalLine,
    targets: list[str],
    complete: bool,
) -> Draft:
    caller, newline = call.caller, call.caller.newline
    names = {param.name: argument for param, argument in zip(params, written.arguments)}
    body, results = _body(text)
    results = [names.get(result, result) for result in results]
    bound = {mention.name for mention in mentions(text) if mention.binds} - names.keys()
    used = {mention.name for mention in mentions(text)}
    if bound & call.names:
        raise Refused(f"'{sorted(bound & call.names)[0]}' means something else in the caller")
    if not all(argument.isidentifier() for argument in names.values()) or len(set(names.values())) < len(names):
        raise Refused("an argument is not a name of its own")
    renamed = {param: argument for param, argument in names.items() if param != argument}
    if any(argument in used and argument not in names for argument in renamed.values()):
        raise Refused("an argument has the name of something in the Graph")
    indent = caller.indentation(line)
    lines = [f'{indent}with pl.graph("{text.placed.found.name}"):{newline}']
    lines.append(_moved(text, body, renamed, indent + STEP))
    pairs = [(t, r) for t, r in zip(targets, results) if t != r]
    lines += [f"{indent}{target} = {result}{newline}" for target, result in pairs]
    rewriter = Rewriter()
    begin = caller.begin_of_line(caller.chunk_start + line.start)
    rewriter.replace(caller.path, begin, caller.end_of_line(caller.chunk_start + line.end), "".join(lines))
    start, end = text.begin_of_line(text.start), text.end_of_line(text.chunk_start + text.placed.found.end)
    while end < len(text.text) and not text.text[end : text.end_of_line(end)].strip():
        end = text.end_of_line(end)
    rewriter.replace(text.path, start, end, "")
    return Draft(rewriter, complete)


def _body(text: FunctionText) -> tuple[tuple[int, int], list[str]]:
    """File offsets of the statements without the ``return``, and what that returns."""
    children = list(text.placed.found.head.children)
    results: list[str] = []
    if children and (found := _RETURN.fullmatch(children[-1].text)) is not None:
        results = _words(found[1] or "")
        end = text.begin_of_line(text.chunk_start + children[-1].start)
        children.pop()
    elif any(mentioned.text.startswith("return") for mentioned in children):
        raise Refused("the Graph returns something that is not a name")
    else:
        end = text.end_of_line(text.chunk_start + text.placed.found.end)
    if not children:
        raise Refused("the Graph does nothing")
    return (text.end_of_line(text.chunk_start + text.placed.found.head.end), end), results


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _moved(text: FunctionText, span: tuple[int, int], renamed: dict[str, str], indent: str) -> str:
    """The statements with their names for the caller, indented by ``indent``."""
    parts: list[str] = []
    position = span[0]
    for mention in sorted(mentions(text), key=lambda each: each.span):
        if mention.name in renamed and span[0] <= mention.span.start < span[1]:
            parts += (text.text[position : mention.span.start], renamed[mention.name])
            position = mention.span.end
    parts.append(text.text[position : span[1]])
    old = text.indentation(text.placed.found.head.children[0])
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", "".join(parts))
    return "".join([indent + line[len(old) :] if line.startswith(old) else line for line in lines])
