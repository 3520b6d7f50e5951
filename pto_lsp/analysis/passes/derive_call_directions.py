"""DeriveCallDirections: how the runtime sees each argument of each launch, and why (semantics.md 2.10-2.18).

A callee's Out is a pure output only where nothing wrote the buffer before; otherwise it is an InOut, which is an edge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Union

from pto_lsp.analysis.ir.expressions import Call, Expr, Submit, Var
from pto_lsp.analysis.ir.program import Direction, Function, Param, Program
from pto_lsp.analysis.ir.statements import Assign, Block, Evaluate, For, If, LoopKind, Stmt, Unpack, While
from pto_lsp.analysis.ir.types import ArrayType, ScalarType, TensorType, TupleType, UnknownType
from pto_lsp.analysis.ir.visitor import blocks
from pto_lsp.analysis.passes.buffer_roots import BufferRoots

Launch = Union[Call, Submit]


class CallDirection(Enum):
    """OUTPUT is a buffer the runtime makes for an Out parameter that the launch leaves out (1.15)."""

    INPUT = "input"
    OUTPUT = "output"
    OUTPUT_EXISTING = "output_existing"
    INOUT = "inout"
    NO_DEP = "no_dep"
    SCALAR = "scalar"

    __hash__ = object.__hash__  # that of Enum runs in Python, and each argument of each task is asked for several


class Reason(Enum):
    """Why an argument has its direction.

    DECLARED: it is the callee's. The next four turn an Out into INOUT: R_SEQ, a sequential loop around the launch;
    AMBIGUOUS, control flow decides which buffer it is; R_PRIOR, an earlier statement wrote the buffer; R_ENCLOSING, the
    buffer is an InOut parameter of the function. FIRST_WRITE: an Out to which none of them applies. OPTED_OUT: NO_DEP.
    OMITTED: OUTPUT.
    """

    DECLARED = "declared"
    R_SEQ = "R-seq"
    AMBIGUOUS = "ambiguous"
    R_PRIOR = "R-prior"
    R_ENCLOSING = "R-enclosing"
    FIRST_WRITE = "first write"
    OPTED_OUT = "opted out"
    OMITTED = "omitted"


@dataclass(frozen=True, slots=True)
class ArgumentDirection:
    """``cause``: the loop of R_SEQ (the innermost one), the statement of R_PRIOR (a whole loop or branch when the write
    is inside one), the parameter of R_ENCLOSING. ``derived`` is the direction without an opt-out.
    """

    direction: CallDirection
    reason: Reason
    derived: CallDirection
    cause: Stmt | Param | None = None


Directions = tuple[ArgumentDirection, ...]

_SCALAR = ArgumentDirection(CallDirection.SCALAR, Reason.DECLARED, CallDirection.SCALAR)
_INPUT = ArgumentDirection(CallDirection.INPUT, Reason.DECLARED, CallDirection.INPUT)
_INOUT = ArgumentDirection(CallDirection.INOUT, Reason.DECLARED, CallDirection.INOUT)
_FIRST_WRITE = ArgumentDirection(CallDirection.OUTPUT_EXISTING, Reason.FIRST_WRITE, CallDirection.OUTPUT_EXISTING)
_OMITTED = ArgumentDirection(CallDirection.OUTPUT, Reason.OMITTED, CallDirection.OUTPUT)


def call_directions(program: Program, function: Function) -> Mapping[Launch, Directions]:
    """Directions of every launch in ``function`` whose callee is known, by the identity of its Call or Submit.

    One entry per argument, then one per Out parameter that a submit leaves out. Needs SSA form and parameter directions
    as ``infer_parameter_directions`` leaves them.
    """
    derivation = _Derivation(program, function)
    derivation.block(function.body or (), {})
    return derivation.found


class _Derivation:
    """One walk. ``seen`` maps each root to the statement after which it counts as written (2.12)."""

    def __init__(self, program: Program, function: Function) -> None:
        self._functions = program.functions
        self._params = {p.name: p for p in function.params}
        self._roots = BufferRoots(program, function)
        self._sequential: list[Stmt] = []
        self.found: dict[Launch, Directions] = {}

    def block(self, block: Block, seen: dict[str, Stmt]) -> set[str]:
        """Walk ``block``, entering what it writes into ``seen``; returns the roots written."""
        written: set[str] = set()
        for stmt in block:
            if isinstance(stmt, (Assign, Unpack, Evaluate)):
                new = self._simple(stmt, seen)
            elif isinstance(stmt, (For, While)):
                new = self._loop(stmt, seen)
            elif isinstance(stmt, If):
                # The arms do not see each other, and what follows sees the whole as one writer.
                new = self.block(stmt.then, dict(seen)) | self.block(stmt.orelse, dict(seen))
            else:
                new = set()
                for body in blocks(stmt):
                    new |= self.block(body, seen)
            for root in new:
                seen.setdefault(root, stmt)
            written |= new
        return written

    def _loop(self, loop: For | While, seen: dict[str, Stmt]) -> set[str]:
        sequential = not (isinstance(loop, For) and loop.kind is LoopKind.PARALLEL)
        if sequential:
            self._sequential.append(loop)
        written = self.block(loop.body, dict(seen))
        if sequential:
            self._sequential.pop()
        return written

    def _simple(self, stmt: Assign | Unpack | Evaluate, seen: dict[str, Stmt]) -> set[str]:
        launch = stmt.value
        if not isinstance(launch, (Call, Submit)):
            return set()
        callee = self._functions.get(launch.callee)
        if callee is None:
            return set()
        written: set[str] = set()
        found: list[ArgumentDirection] = []
        no_dep = launch.no_dep
        for index, (param, arg) in enumerate(zip(callee.params, launch.args)):
            derived = self._derive(param, arg, seen)
            if derived is not _SCALAR:
                if param.direction is not Direction.IN:
                    root = self._roots.of(arg).first
                    if root is not None:
                        written.add(root)
                if no_dep and index in no_dep:
                    derived = ArgumentDirection(CallDirection.NO_DEP, Reason.OPTED_OUT, derived.derived, derived.cause)
            found.append(derived)
        omitted = callee.params[len(launch.args) :]
        found.extend([_OMITTED for p in omitted if p.direction is Direction.OUT])
        self.found[launch] = tuple(found)
        return written

    def _derive(self, param: Param, arg: Expr, seen: dict[str, Stmt]) -> ArgumentDirection:
        if not _is_tensor(param, arg):
            return _SCALAR
        if param.direction is Direction.IN:
            return _INPUT
        if param.direction is Direction.INOUT:
            return _INOUT
        if self._sequential:
            return _promoted(Reason.R_SEQ, self._sequential[-1])
        roots = self._roots.of(arg)
        if roots.ambiguous:
            return _promoted(Reason.AMBIGUOUS, None)
        root = roots.first
        if root is not None:
            earlier = seen.get(root)
            if earlier is not None:
                return _promoted(Reason.R_PRIOR, earlier)
            owner = self._params.get(root)
            if owner is not None and owner.direction is Direction.INOUT:
                return _promoted(Reason.R_ENCLOSING, owner)
        return _FIRST_WRITE


def _promoted(reason: Reason, cause: Stmt | Param | None) -> ArgumentDirection:
    return ArgumentDirection(CallDirection.INOUT, reason, CallDirection.INOUT, cause)


def _is_tensor(param: Param, arg: Expr) -> bool:
    type_ = arg.type if isinstance(arg, Var) else param.type
    if type(type_) is TensorType:
        return True
    if isinstance(type_, UnknownType):
        type_ = param.type
    if isinstance(type_, (TensorType, TupleType)):
        return True
    return isinstance(type_, UnknownType) and isinstance(arg, Var) and not isinstance(type_, (ScalarType, ArrayType))
