"""IR from a small subset of the surface syntax, for tests of single passes: no names to resolve, no findings.

Every function of the text becomes a Function whose kind is its first decorator (``@graph``, ``@incore``, ``@inline``
…). Parameters are annotated ``T`` (64x64 FP32 tensor), ``T[...]`` (other extents), ``Out[T]``, ``InOut[T]``, ``Index``,
``TaskId`` or ``Ids[4]`` (array of task ids). Statement anchors hold the line number as offset.
"""

from __future__ import annotations

import ast
import textwrap

from pto_lsp.analysis.ir import expressions as ir
from pto_lsp.analysis.ir import statements as st
from pto_lsp.analysis.ir.affine import difference
from pto_lsp.analysis.ir.place import Anchor, LineStart, SourceId
from pto_lsp.analysis.ir.program import Direction, Function, FunctionKind, Param, Program
from pto_lsp.analysis.ir.types import (
    BOOL,
    INDEX,
    TASK_ID,
    TILE,
    UNKNOWN,
    ArrayType,
    ScalarType,
    TensorType,
    TileType,
    TupleType,
    Type,
)
from pto_lsp.diagnostics import Span

SOURCE = SourceId("test.py", "test", 0)
T = TensorType((ir.Const(64), ir.Const(64)), "FP32")

_OPS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.And: "and", ast.Or: "or", ast.USub: "-", ast.Not: "not",
}  # fmt: skip
_CANONICAL = {
    "create_tensor": "tensor.create", "slice": "tensor.slice", "view": "tensor.view", "reshape": "tensor.reshape",
    "transpose": "tensor.transpose", "assemble": "tensor.assemble", "dim": "tensor.dim", "read": "tensor.read",
    "write": "tensor.write", "full": "tensor.full",
}  # fmt: skip
_OPTIONS = {"deps", "core_num", "predicate", "no_dep_args", "allow_early_resolve", "sync_start", "name_hint"}


def program(text: str) -> Program:
    """The program of every function in ``text``."""
    tree = ast.parse(textwrap.dedent(text))
    nodes = [n for n in tree.body if isinstance(n, ast.FunctionDef)]
    signatures = {n.name: _signature(n) for n in nodes}
    functions = {n.name: _Lowering(n, signatures).function() for n in nodes}
    return Program(functions)


def _signature(node: ast.FunctionDef) -> tuple[tuple[Param, ...], tuple[Type, ...]]:
    anchor = Anchor(SOURCE, LineStart(node.lineno))
    params = tuple([Param(a.arg, *_annotation(a.annotation), anchor) for a in node.args.args])
    returns: tuple[Type, ...] = ()
    if node.returns is not None:
        items = node.returns.elts if isinstance(node.returns, ast.Tuple) else [node.returns]
        returns = tuple([_annotation(i)[0] for i in items])
    return params, returns


def _annotation(node: ast.expr | None) -> tuple[Type, Direction]:
    assert node is not None
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        head = node.value.id
        if head in ("Out", "InOut"):
            return _annotation(node.slice)[0], Direction.OUT if head == "Out" else Direction.INOUT
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if head == "Ids":
            return ArrayType(ast.literal_eval(items[0]), "TASK_ID"), Direction.IN
        extents = [ir.Symbol(i.id) if isinstance(i, ast.Name) else ir.Const(ast.literal_eval(i)) for i in items]
        return TensorType(tuple(extents), "FP32"), Direction.IN
    assert isinstance(node, ast.Name)
    types: dict[str, Type] = {"T": T, "Index": INDEX, "Int": ScalarType("INT32"), "TaskId": TASK_ID, "Bool": BOOL}
    return types.get(node.id, UNKNOWN), Direction.IN


class _Lowering:
    def __init__(
        self, node: ast.FunctionDef, signatures: dict[str, tuple[tuple[Param, ...], tuple[Type, ...]]]
    ) -> None:
        self.node = node
        self.signatures = signatures
        self.scope: dict[str, Type] = {p.name: p.type for p in signatures[node.name][0]}

    def function(self) -> Function:
        params, returns = self.signatures[self.node.name]
        decorators = [d.id for d in self.node.decorator_list if isinstance(d, ast.Name)]
        kind = FunctionKind(decorators[0]) if decorators else FunctionKind.ORCHESTRATION
        body: st.Block | None = self.block(self.node.body)
        if "extern" in decorators:
            body = None
        name = self.node.name
        anchor = Anchor(SOURCE, LineStart(self.node.lineno))
        return Function(name, name, kind, params, returns, body, anchor, method="method" in decorators)

    def block(self, nodes: list[ast.stmt]) -> st.Block:
        found: list[st.Stmt] = []
        for node in nodes:
            found.extend(self.statement(node))
        return tuple(found)

    def at(self, node: ast.stmt) -> tuple[Anchor, Span]:
        return Anchor(SOURCE, LineStart(node.lineno)), Span(node.col_offset, node.end_col_offset or 0)

    def bind(self, node: ast.expr, type_: Type) -> ir.Var:
        assert isinstance(node, ast.Name)
        self.scope[node.id] = type_
        return ir.Var(node.id, node.id, type_, _span(node))

    def statement(self, node: ast.stmt) -> list[st.Stmt]:
        at, span = self.at(node)
        if isinstance(node, ast.Assign):
            return [self.assign(node)]
        if isinstance(node, ast.Expr):
            call = node.value
            if isinstance(call, ast.Call) and _path(call.func)[-1] == "yield_":
                return [st.Yield((), tuple([self.expr(a) for a in call.args]), at, span)]
            if isinstance(call, ast.Constant):
                return []
            return [st.Evaluate(self.expr(call), at, span)]
        if isinstance(node, ast.Return):
            if node.value is None:
                return [st.Return((), at, span)]
            items = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            return [st.Return(tuple([self.expr(i) for i in items]), at, span)]
        if isinstance(node, ast.For):
            return [self.loop(node)]
        if isinstance(node, ast.While):
            return [st.While(self.expr(node.test), self.block(node.body), at, span)]
        if isinstance(node, ast.If):
            return [self.branch(node)]
        if isinstance(node, ast.With):
            return [self.region(node)]
        if isinstance(node, (ast.Break, ast.Continue)):
            return [st.Jump("break" if isinstance(node, ast.Break) else "continue", at, span)]
        if isinstance(node, ast.Pass):
            return []
        # Anything else stands for a line the front end gave up on: ``del x`` may bind x.
        assert isinstance(node, ast.Delete)
        return [st.Opaque("test", tuple([self.bind(t, UNKNOWN) for t in node.targets]), at, span)]

    def assign(self, node: ast.Assign) -> st.Stmt:
        at, span = self.at(node)
        target = node.targets[0]
        if isinstance(node.value, ast.Call) and _path(node.value.func)[-1] == "yield_":
            values = tuple([self.expr(a) for a in node.value.args])
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            return st.Yield(tuple([self.bind(n, _type(v)) for n, v in zip(names, values)]), values, at, span)
        value = self.expr(node.value)
        if isinstance(target, ast.Name):
            return st.Assign(self.bind(target, _type(value)), value, at, span)
        if isinstance(target, ast.Tuple):
            flat: list[ast.expr] = []
            for item in target.elts:
                flat.extend(item.elts if isinstance(item, ast.Tuple) else [item])
            type_ = _type(value)
            types: tuple[Type, ...] = ()
            if isinstance(type_, TupleType) and len(type_.items) == len(flat):
                types = type_.items
            elif isinstance(type_, TupleType) and len(flat) == 2 and isinstance(value, ir.Submit):
                types = (TupleType(type_.items[:-1]), type_.items[-1])
            return st.Unpack(
                tuple([self.bind(n, t) for n, t in zip(flat, types or (UNKNOWN,) * len(flat))]), value, at, span
            )
        assert isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)
        base = self.expr(target.value)
        assert isinstance(base, ir.Var)
        if isinstance(base.type, ArrayType):
            args: tuple[ir.Expr, ...] = (base, self.expr(target.slice), value)
            return st.Assign(base, ir.Op("array.update_element", args, (), base.type, span, True), at, span)
        sizes, offsets, drop = self.window(base, target.slice)
        keywords = [ir.Keyword("size", sizes)] + ([ir.Keyword("drop", drop)] if drop.items else [])
        op = ir.Op("tensor.assemble", (base, value, offsets), tuple(keywords), base.type, span, True)
        return st.Assign(base, op, at, span)

    def loop(self, node: ast.For) -> st.Stmt:
        at, span = self.at(node)
        assert isinstance(node.iter, ast.Call)
        call = node.iter
        word = _path(call.func)[-1]
        keywords = {k.arg: k.value for k in call.keywords if k.arg is not None}
        if word == "spmd":
            options = self.options(call, self.expr(call.args[0]))
            index = self.bind(node.target, INDEX)
            return st.Region(st.RegionKind.SPMD, options, self.block(node.body), at, span, index)
        given = [self.expr(a) for a in call.args]
        start, stop, step = (
            ((ir.Const(0), given[0], ir.Const(1)) if len(given) == 1 else (given[0], given[1], ir.Const(1)))
            if len(given) < 3
            else (given[0], given[1], given[2])
        )
        names = [node.target]
        inits: tuple[ir.Expr, ...] = ()
        if "init_values" in keywords:
            assert isinstance(node.target, ast.Tuple)
            inner_names = node.target.elts[1]
            names = [node.target.elts[0], *(inner_names.elts if isinstance(inner_names, ast.Tuple) else [])]
            value = self.expr(keywords["init_values"])
            assert isinstance(value, ir.TupleExpr)
            inits = value.items
        var = self.bind(names[0], INDEX)
        inner = [self.bind(n, _type(i)) for n, i in zip(names[1:], inits)]
        body = self.block(node.body)
        carries: tuple[st.Carry, ...] = ()
        if inner:
            end = body[-1]
            assert isinstance(end, st.Yield)
            results = end.targets or tuple(inner)
            carries = tuple([st.Carry(*c) for c in zip(inner, inits, end.values, results)])
            body = body[:-1]
        return st.For(st.LoopKind(word), var, start, stop, step, body, at, span, carries)

    def branch(self, node: ast.If) -> st.Stmt:
        at, span = self.at(node)
        condition = self.expr(node.test)
        then, orelse = self.block(node.body), self.block(node.orelse)
        first = then[-1] if then and isinstance(then[-1], st.Yield) else None
        second = orelse[-1] if orelse and isinstance(orelse[-1], st.Yield) else None
        if first is None or second is None:
            return st.If(condition, then, orelse, at, span)
        targets = first.targets or second.targets
        phis = tuple([st.Phi(*p) for p in zip(targets, first.values, second.values)])
        return st.If(condition, then[:-1], orelse[:-1], at, span, phis)

    def region(self, node: ast.With) -> st.Stmt:
        at, span = self.at(node)
        item = node.items[0]
        assert isinstance(item.context_expr, ast.Call)
        call = item.context_expr
        word = _path(call.func)[-1]
        if word in ("scope", "manual_scope"):
            mode = st.ScopeMode.MANUAL if word == "manual_scope" else st.ScopeMode.AUTO
            return st.Scope(mode, self.block(node.body), at, span)
        if word == "graph":
            name = ast.literal_eval(call.args[0])
            return st.GraphScope(name, self.block(node.body), at, span)
        options = self.options(call, self.expr(call.args[0]) if word == "spmd" else None)
        task_id = self.bind(item.optional_vars, TASK_ID) if item.optional_vars is not None else None
        level = "HOST" if word == "at" and call.args else "CORE_GROUP"
        kind = st.RegionKind.HIERARCHY if level == "HOST" else st.RegionKind(word)
        return st.Region(kind, options, self.block(node.body), at, span, None, task_id, level)

    def options(self, call: ast.Call, core_num: ir.Expr | None = None) -> ir.LaunchOptions:
        found: dict[str, ir.Expr] = {k.arg: self.expr(k.value) for k in call.keywords if k.arg in _OPTIONS}
        if not found and core_num is None:
            return ir.PLAIN
        hint = found.get("name_hint")
        return ir.LaunchOptions(
            deps=_items(found.get("deps")) if "deps" in found else None,
            core_num=core_num or found.get("core_num"),
            predicate=found.get("predicate"),
            no_dep_args=_items(found.get("no_dep_args")),
            allow_early_resolve=True if "allow_early_resolve" in found else None,
            name_hint=hint.value if isinstance(hint, ir.Const) and isinstance(hint.value, str) else "",
            keywords=tuple([ir.Keyword(n, v) for n, v in found.items()]),
        )

    def expr(self, node: ast.expr) -> ir.Expr:
        span = _span(node)
        if isinstance(node, ast.Name):
            return ir.Var(node.id, node.id, self.scope.get(node.id, UNKNOWN), span)
        if isinstance(node, ast.Constant):
            return ir.Const(node.value, span)  # type: ignore[arg-type]
        if isinstance(node, ast.BinOp):
            return ir.Binary(_OPS[type(node.op)], self.expr(node.left), self.expr(node.right), span)
        if isinstance(node, ast.BoolOp):
            return ir.Binary(_OPS[type(node.op)], self.expr(node.values[0]), self.expr(node.values[1]), span)
        if isinstance(node, ast.Compare):
            return ir.Binary(_OPS[type(node.ops[0])], self.expr(node.left), self.expr(node.comparators[0]), span)
        if isinstance(node, ast.UnaryOp):
            operand = self.expr(node.operand)
            if isinstance(node.op, ast.USub) and isinstance(operand, ir.Const) and isinstance(operand.value, int):
                return ir.Const(-operand.value, span)
            return ir.Unary(_OPS[type(node.op)], operand, span)
        if isinstance(node, (ast.List, ast.Tuple)):
            items = tuple([self.expr(i) for i in node.elts])
            return ir.ListExpr(items, span) if isinstance(node, ast.List) else ir.TupleExpr(items, span)
        if isinstance(node, ast.Call):
            return self.call(node)
        if isinstance(node, ast.Subscript):
            return self.subscript(node)
        assert isinstance(node, ast.Attribute)
        return ir.DType(node.attr, span)

    def subscript(self, node: ast.Subscript) -> ir.Expr:
        span = _span(node)
        base = self.expr(node.value)
        type_ = _type(base)
        if isinstance(type_, ArrayType):
            return ir.Op("array.get_element", (base, self.expr(node.slice)), (), ScalarType(type_.dtype), span, True)
        if isinstance(type_, TupleType):
            return ir.Item(base, ast.literal_eval(node.slice), span)
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if not any(isinstance(i, ast.Slice) for i in items):
            index = ir.ListExpr(tuple([self.expr(i) for i in items]))
            return ir.Op("tensor.read", (base, index), (), ScalarType("FP32"), span, True)
        sizes, offsets, drop = self.window(base, node.slice)
        keywords = (ir.Keyword("drop", drop),) if drop.items else ()
        result: Type = UNKNOWN
        if isinstance(type_, TensorType):
            gone = {i.value for i in drop.items if isinstance(i, ir.Const)}
            kept = tuple([s for axis, s in enumerate(sizes.items) if axis not in gone])
            result = TensorType(kept, type_.dtype)
        return ir.Op("tensor.slice", (base, sizes, offsets), keywords, result, span, True)

    def window(self, base: ir.Expr, node: ast.expr) -> tuple[ir.ListExpr, ir.ListExpr, ir.ListExpr]:
        items = node.elts if isinstance(node, ast.Tuple) else [node]
        type_ = _type(base)
        shape = type_.shape if isinstance(type_, TensorType) and type_.shape is not None else (ir.Const(64),) * 2
        sizes: list[ir.Expr] = []
        offsets: list[ir.Expr] = []
        dropped: list[ir.Expr] = []
        for axis, item in enumerate(items):
            if isinstance(item, ast.Slice):
                lower = self.expr(item.lower) if item.lower is not None else ir.Const(0)
                upper = self.expr(item.upper) if item.upper is not None else shape[axis]
                offsets.append(lower)
                sizes.append(difference(upper, lower, ir.NO_SPAN))
            else:
                offsets.append(self.expr(item))
                sizes.append(ir.Const(1))
                dropped.append(ir.Const(axis))
        return ir.ListExpr(tuple(sizes)), ir.ListExpr(tuple(offsets)), ir.ListExpr(tuple(dropped))

    def call(self, node: ast.Call) -> ir.Expr:
        span = _span(node)
        path = _path(node.func)
        if path[0] in ("pl", "pld"):
            name = ".".join(path[1:] if path[0] == "pl" else path)
            if name in ("submit", "spmd_submit"):
                assert isinstance(node.args[0], ast.Name)
                callee = node.args[0].id
                args, no_dep = self.arguments(node.args[1:])
                returns = self.signatures[callee][1]
                type_ = TupleType((*returns, TASK_ID))
                return ir.Submit(callee, args, type_, self.options(node), no_dep, _span(node.args[0]), span)
            return self.operator(node, _CANONICAL.get(name, name), span)
        callee = path[-1]
        args, no_dep = self.arguments(node.args)
        returns = self.signatures[callee][1]
        result = UNKNOWN if not returns else returns[0] if len(returns) == 1 else TupleType(returns)
        return ir.Call(callee, args, result, self.options(node), no_dep, _span(node.func), span)

    def arguments(self, nodes: list[ast.expr]) -> tuple[tuple[ir.Expr, ...], tuple[int, ...]]:
        args: list[ir.Expr] = []
        no_dep: list[int] = []
        for index, node in enumerate(nodes):
            if isinstance(node, ast.Call) and _path(node.func) == ["pl", "no_dep"]:
                no_dep.append(index)
                node = node.args[0]
            args.append(self.expr(node))
        return tuple(args), tuple(no_dep)

    def operator(self, node: ast.Call, name: str, span: Span) -> ir.Expr:
        args = tuple([self.expr(a) for a in node.args])
        keywords = tuple([ir.Keyword(k.arg or "", self.expr(k.value)) for k in node.keywords])
        if name in ("min", "max"):
            return ir.Binary(name, args[0], args[1], span)
        if name == "cast" and isinstance(_type(args[0]), ScalarType) and isinstance(args[1], ir.DType):
            return ir.Cast(args[0], args[1].name, span)
        if name == "array.create":
            assert isinstance(args[1], ir.DType) and isinstance(args[0], ir.Const) and isinstance(args[0].value, int)
            array = ArrayType(args[0].value, args[1].name)
            return ir.Op(name, args[:1], (ir.Keyword("dtype", args[1]),), array, span)
        return ir.Op(name, args, keywords, _operator_type(name, args), span)


def _operator_type(name: str, args: tuple[ir.Expr, ...]) -> Type:
    if name in ("tensor.create", "tensor.full"):
        return TensorType(_items(args[0]), "FP32")
    if name in ("tensor.slice", "tensor.view", "tensor.reshape"):
        return TensorType(_items(args[1]), "FP32")
    if name in ("tensor.assemble", "tensor.transpose"):
        return _type(args[0])
    if name == "store":
        return _type(args[2])
    if name == "load":
        return TILE
    if name == "tensor.dim":
        return INDEX
    if name == "tensor.read":
        return ScalarType("INT32")
    if name.startswith("system.task_"):
        return TASK_ID
    return _type(args[0]) if args else UNKNOWN


def _items(expr: ir.Expr | None) -> tuple[ir.Expr, ...]:
    return expr.items if isinstance(expr, (ir.ListExpr, ir.TupleExpr)) else ()


def _type(expr: ir.Expr) -> Type:
    if isinstance(expr, (ir.Var, ir.Op, ir.Call, ir.Submit)):
        return expr.type
    if isinstance(expr, ir.Const):
        value = expr.value
        if value is None:
            return TASK_ID
        return BOOL if isinstance(value, bool) else INDEX if isinstance(value, int) else ScalarType("FP32")
    if isinstance(expr, ir.Binary):
        if expr.op in ("==", "!=", "<", "<=", ">", ">=", "and", "or"):
            return BOOL
        left, right = _type(expr.left), _type(expr.right)
        return left if isinstance(left, (TensorType, TileType)) else right if isinstance(left, ScalarType) else left
    if isinstance(expr, ir.Unary):
        return BOOL if expr.op == "not" else _type(expr.operand)
    if isinstance(expr, ir.Cast):
        return ScalarType(expr.dtype)
    if isinstance(expr, ir.Item):
        base = _type(expr.base)
        return base.items[expr.index] if isinstance(base, TupleType) else UNKNOWN
    return UNKNOWN


def _path(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Attribute):
        return [*_path(node.value), node.attr]
    assert isinstance(node, ast.Name)
    return [node.id]


def _span(node: ast.expr) -> Span:
    return Span(node.col_offset, node.end_col_offset or 0)
