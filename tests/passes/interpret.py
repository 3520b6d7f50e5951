"""Runs IR on integers, before or after SSA construction: the oracle for passes that must keep what a program does.

A launch is logged with the values of its arguments and yields a number of its own, so two programs that do the same
have the same log and the same result.
"""

from __future__ import annotations

from pto_lsp.analysis.ir import expressions as ir
from pto_lsp.analysis.ir import statements as st
from pto_lsp.analysis.ir.program import Function, FunctionKind, Program

Value = object
Log = list[tuple[object, ...]]


class Unbound(Exception):
    """A name without a value is read, or a number has no value (division by zero)."""


class _Return(Exception):
    def __init__(self, values: tuple[Value, ...]) -> None:
        self.values = values


def run(program: Program, key: str, arguments: dict[str, Value]) -> tuple[tuple[Value, ...], Log]:
    """Results and launches of one call. Raises Unbound."""
    log: Log = []
    machine = _Machine(program, log)
    values, _ = machine.call(program.functions[key], dict(arguments))
    return values, log


class _Machine:
    def __init__(self, program: Program, log: Log) -> None:
        self.program = program
        self.log = log
        self.env: dict[str, Value] = {}

    def call(self, function: Function, env: dict[str, Value]) -> tuple[tuple[Value, ...], dict[str, Value]]:
        outer, self.env = self.env, env
        assert function.body is not None
        try:
            self.block(function.body)
            return (), self.env
        except _Return as result:
            return result.values, self.env
        finally:
            self.env = outer

    def block(self, block: st.Block) -> None:
        for stmt in block:
            self.statement(stmt)

    def statement(self, stmt: st.Stmt) -> None:
        env = self.env
        if isinstance(stmt, st.Assign):
            env[stmt.target.name] = self.single(self.expr(stmt.value))
        elif isinstance(stmt, st.Unpack):
            values = self.expr(stmt.value)
            assert isinstance(values, tuple)
            for target, value in zip(stmt.targets, values):
                env[target.name] = value
        elif isinstance(stmt, st.Evaluate):
            self.expr(stmt.value)
        elif isinstance(stmt, st.Return):
            raise _Return(tuple([self.single(self.expr(v)) for v in stmt.values]))
        elif isinstance(stmt, st.For):
            self.loop(stmt)
        elif isinstance(stmt, st.If):
            taken = bool(self.expr(stmt.condition))
            self.block(stmt.then if taken else stmt.orelse)
            joined = [self.expr_or_none(p.then if taken else p.orelse) for p in stmt.phis]
            for phi, value in zip(stmt.phis, joined):
                self.put(phi.result, value)
        elif isinstance(stmt, (st.Scope, st.Region)):
            self.block(stmt.body)
        else:
            raise AssertionError(stmt)

    def loop(self, stmt: st.For) -> None:
        start, stop, step = (self.expr(e) for e in (stmt.start, stmt.stop, stmt.step))
        assert isinstance(start, int) and isinstance(stop, int) and isinstance(step, int)
        carried = [self.expr_or_none(c.init) for c in stmt.carries]
        # The index is a name of the loop's own: what it hid is there again afterwards.
        hidden = self.env.get(stmt.var.name)
        for index in range(start, stop, step):
            self.env[stmt.var.name] = index
            for carry, value in zip(stmt.carries, carried):
                self.put(carry.inner, value)
            self.block(stmt.body)
            carried = [self.expr_or_none(c.update) for c in stmt.carries]
        self.put(stmt.var, hidden)
        for carry, value in zip(stmt.carries, carried):
            self.put(carry.result, value)

    def put(self, var: ir.Var, value: Value | None) -> None:
        if value is None:
            self.env.pop(var.name, None)
        else:
            self.env[var.name] = value

    def expr_or_none(self, expr: ir.Expr) -> Value | None:
        try:
            return self.expr(expr)
        except Unbound:
            return None

    @staticmethod
    def single(value: Value) -> Value:
        return value[0] if isinstance(value, tuple) and len(value) == 1 else value

    def expr(self, expr: ir.Expr) -> Value:
        if isinstance(expr, ir.Const):
            return expr.value
        if isinstance(expr, ir.Var):
            if expr.name not in self.env:
                raise Unbound(expr.name)
            return self.env[expr.name]
        if isinstance(expr, ir.Binary):
            return self.binary(expr.op, self.expr(expr.left), self.expr(expr.right))
        if isinstance(expr, ir.Unary):
            value = self.expr(expr.operand)
            assert isinstance(value, int)
            return not value if expr.op == "not" else -value
        if isinstance(expr, (ir.ListExpr, ir.TupleExpr)):
            return ("list", *[self.expr(e) for e in expr.items])
        if isinstance(expr, ir.Op):
            return (f"{expr.name} {[self.expr(a) for a in expr.args]}",)
        if isinstance(expr, (ir.Call, ir.Submit)):
            return self.launch(expr)
        raise Unbound(str(expr))

    def launch(self, expr: ir.Call | ir.Submit) -> tuple[Value, ...]:
        function = self.program.functions[expr.callee]
        args = [self.expr(a) for a in expr.args]
        if function.kind is FunctionKind.INLINE:
            results, env = self.call(function, dict(zip([p.name for p in function.params], args)))
            if function.method:
                # Spliced under the caller's names: what it makes of a parameter, the caller's variable becomes.
                names = [arg.name for arg in expr.args if isinstance(arg, ir.Var)]
                if len(set(names)) < len(names):
                    raise Unbound("one variable for two parameters")
                for param, arg in zip(function.params, expr.args):
                    if isinstance(arg, ir.Var):
                        self.env[arg.name] = env[param.name]
            return results
        self.log.append((expr.callee, *args))
        results = tuple([1000 + 37 * len(self.log) + i for i in range(len(function.returns))])
        return (*results, f"task#{len(self.log)}") if isinstance(expr, ir.Submit) else results

    def binary(self, op: str, left: Value, right: Value) -> Value:
        if op in ("and", "or"):
            return (left and right) if op == "and" else (left or right)
        if not isinstance(left, int) or not isinstance(right, int):
            return f"({left} {op} {right})"
        if op in ("//", "%"):
            if right == 0:
                raise Unbound("division by zero")
            return left // right if op == "//" else left % right
        table: dict[str, Value] = {
            "+": left + right, "-": left - right, "*": left * right, "min": min(left, right), "max": max(left, right),
            "<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right, "==": left == right,
            "!=": left != right,
        }  # fmt: skip
        return table[op]
