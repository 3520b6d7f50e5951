"""One program for every construct that an orchestration can have."""

from __future__ import annotations

HEAD = """\
import pypto.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def k(
        self, x: pl.Tensor[[8, 8], pl.FP32], y: pl.InOut[pl.Tensor[[8, 8], pl.FP32]], s: pl.Scalar[pl.INDEX]
    ) -> pl.Tensor[[8, 8], pl.FP32]:
        y = pl.store(pl.load(x, [s, 0], [1, 8]), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def o(
        self, x: pl.Tensor[[8, 8], pl.FP32], y: pl.Out[pl.Tensor[[8, 8], pl.FP32]]
    ) -> pl.Tensor[[8, 8], pl.FP32]:
        y = pl.store(pl.matmul(pl.load(x, [0, 0], [8, 8]), pl.load(x, [0, 0], [8, 8])), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def mixed(
        self, x: pl.Tensor[[8, 8], pl.FP32], y: pl.InOut[pl.Tensor[[8, 8], pl.FP32]]
    ) -> pl.Tensor[[8, 8], pl.FP32]:
        t = pl.matmul(pl.load(x, [0, 0], [8, 8]), pl.load(x, [0, 0], [8, 8]))
        y = pl.store(pl.add(t, pl.load(y, [0, 0], [8, 8])), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def scaled(
        self,
        f: pl.Scalar[pl.FP32],
        x: pl.Tensor[[8, 8], pl.FP32],
        on: pl.Scalar[pl.BOOL],
        y: pl.InOut[pl.Tensor[[8, 8], pl.FP32]],
        i: pl.Scalar[pl.INT32],
    ) -> pl.Tensor[[8, 8], pl.FP32]:
        y = pl.store(pl.mul(pl.load(x, [0, 0], [8, 8]), f), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Graph)
    def chain(
        self,
        x: pl.Tensor[[8, 8], pl.FP32],
        y: pl.InOut[pl.Tensor[[8, 8], pl.FP32]],
        z: pl.InOut[pl.Tensor[[8, 8], pl.FP32]],
        i: pl.Scalar[pl.INDEX],
    ) -> tuple[pl.Tensor[[8, 8], pl.FP32], pl.Tensor[[8, 8], pl.FP32]]:
        t = pl.create_tensor([8, 8], dtype=pl.FP32)
        t = self.k(x, t, i)
        twice = i * 2
        for j in pl.range(2):
            u = pl.create_tensor([8, 8], dtype=pl.FP32)
            u = self.k(t, u, j)
            y = self.k(u, y, twice)
        z = self.mixed(pl.slice(t, [8, 8], [0, 0]), z)
        return z, y

    @pl.function(type=pl.FunctionType.Graph)
    def gated(
        self, x: pl.Tensor[[8, 8], pl.FP32], y: pl.InOut[pl.Tensor[[8, 8], pl.FP32]], flag: pl.Tensor[[4], pl.INT32]
    ) -> pl.Tensor[[8, 8], pl.FP32]:
        with pl.manual_scope():
            y, a = pl.submit(self.k, x, y, 1, predicate=flag[1] == 0)
            y, b = pl.submit(self.k, x, y, 2, deps=[a])
        y, c = pl.spmd_submit(self.k, x, y, 3, core_num=2)
        return y

    @pl.function(type=pl.FunctionType.Graph)
    def never_called(
        self, x: pl.Tensor[[8, 8], pl.FP32], y: pl.InOut[pl.Tensor[[8, 8], pl.FP32]]
    ) -> pl.Tensor[[8, 8], pl.FP32]:
        y = self.k(x, y, 1)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Tensor[[8, 8], pl.FP32],
        y: pl.InOut[pl.Tensor[[8, 8], pl.FP32]],
        z: pl.InOut[pl.Tensor[[8, 8], pl.FP32]],
        flag: pl.Tensor[[4], pl.INT32],
        cube: pl.Tensor[[4, 8, 8], pl.FP32],
        n: pl.Scalar[pl.INDEX],
    ) -> pl.Tensor[[8, 8], pl.FP32]:
"""
BODIES = {
    "submit and deps": """
y, a = pl.submit(self.k, x, y, 1)
z, b = pl.submit(self.k, x, z, n, deps=[a])
y, c = pl.submit(self.o, z, y, deps=[a, b, None], allow_early_resolve=True)
""",
    "array of ids": """
ids = pl.array.create(4, pl.TASK_ID)
for i in pl.range(3):
    y, a = pl.submit(self.k, x, y, i)
    ids[i] = a
d = pl.system.task_dummy(deps=[ids])
z, b = pl.submit(self.k, x, z, 0, deps=[ids])
z, c = pl.submit(self.k, x, z, 0, deps=[ids[1], d])
""",
    "dummies": """
e = pl.system.task_dummy(deps=[])
f = pl.system.task_invalid()
g = pl.system.task_dummy(deps=[f])
y, a = pl.submit(self.k, x, y, 0, deps=[e, g])
""",
    "manual scope": """
with pl.manual_scope():
    y, a = pl.submit(self.k, x, y, 0)
    z, b = pl.submit(self.k, y, z, 0, deps=[a])
y = self.k(z, y, 2)
""",
    "predicate": """
y, a = pl.submit(self.k, x, y, 0, predicate=flag[2] > -3)
""",
    "spmd": """
y, a = pl.spmd_submit(self.k, x, y, 3, core_num=4, sync_start=True)
""",
    "allocations": """
t = pl.create_tensor([8, 8], dtype=pl.FP32)
for i in pl.range(2):
    u = pl.create_tensor([8, 8], dtype=pl.FP32, manual_dep=True)
    t = self.k(x, t, i)
    u = self.k(t, u, i + 1)
    y = self.k(u, y, i * 2)
w, a = pl.submit(self.o, t)
z = self.k(w, z, 0)
""",
    "host values": """
v = pl.cast(pl.tensor.read(flag, [1]), pl.INDEX)
w = pl.max(n, v + 3) * 2
for i in pl.range(0, w, 2):
    part = pl.slice(y, [4, 8], [i, 0])
    if i > 2:
        z = self.k(part, z, i // 2)
    else:
        z = self.k(x, z, i % 3)
""",
    "a tensor that changes places": """
t = pl.create_tensor([8, 8], dtype=pl.FP32)
u = t
for i in pl.range(3):
    t = self.k(u, t, i)
    u = y
if n > 0:
    r = t
else:
    r = y
z = self.k(r, z, 0)
""",
    "a number that is carried": """
at = n
for i in pl.range(3):
    y = self.k(x, y, at)
    at = at + 2
z = self.k(y, z, at)
""",
    "views": """
u = pl.transpose(y, -1, 0)
v = pl.slice(pl.slice(x, [8, 8], [n, 0]), [8, 8], [0, 0])
w = pl.reshape(z[n:, :], [8 - n, 8])
z = self.k(v, z, pl.tensor.dim(v, -2))
y = self.k(u, y, 0)
y = self.k(w, y, 0)
""",
    "views of fewer dimensions": """
v = cube[1, :, :]
w = cube[n, 2:6, :]
u = cube[0, :, 3]
z = self.k(v, z, 0)
y = self.k(w, y, 0)
y = self.k(u, y, pl.tensor.dim(u, 0))
""",
    "an element written by the host": """
pl.write(flag, [1], n + 2)
y = self.k(x, y, n)
""",
    "scalars after tensors": """
y = self.scaled(2.5, x, True, y, pl.cast(n, pl.INT32))
f = pl.cast(n, pl.FP32) * 0.5
y = self.scaled(f, x, n > 1, y, -3)
y = self.scaled(2, x, False, y, n)
y = self.k(x, y, -3)
""",
    "cube vector and mixed": """
y, a = pl.submit(self.o, x, y)
z = self.k(y, z, 0)
z = self.mixed(y, z)
""",
    "opt-outs": """
y = self.k(pl.no_dep(x), y, 0)
z = self.k(pl.no_dep(y), z, 1)
""",
    "scopes": """
with pl.scope():
    y = self.k(x, y, 0)
    with pl.manual_scope():
        y, a = pl.submit(self.k, x, y, 1)
        z, b = pl.submit(self.k, y, z, 2, deps=[a])
    with pl.scope():
        z = self.k(y, z, 3)
y = self.k(z, y, 4)
""",
    "a scope whose task is waited for": """
for i in pl.range(2):
    with pl.manual_scope():
        t = pl.create_tensor([8, 8], dtype=pl.FP32)
        t, a = pl.submit(self.k, x, t, i)
    y = self.k(t, y, i)
""",
    "more than one batch": """
"""
    + "".join(f"t{number} = pl.create_tensor([8, 8], dtype=pl.FP32)\n" for number in range(18))
    + "".join(f"t{number} = self.k(x, t{number}, {number})\n" for number in range(18))
    + """
y = self.k(t17, y, 0)
""",
    "loops of the caller": """
for i in pl.parallel(n + 1):
    z = self.k(x, z, i)
for i in pl.range(6, 0, -2):
    for j in pl.pipeline(2, stage=2):
        y = self.k(x, y, i + j)
for i in pl.unroll(2):
    y = self.k(z, y, i)
""",
    "a branch of the caller": """
if n > 1:
    y = self.k(x, y, 1)
    at = n
elif n == 1:
    z = self.k(x, z, 2)
    at = n + 2
else:
    at = 0
y = self.k(z, y, at)
""",
    "a while loop of the caller": """
i = 0
while i < n:
    y = self.k(x, y, i)
    i = i + 1
""",
    "ids of a parallel loop": """
with pl.manual_scope():
    t = None
    for i in pl.parallel(2, 8, 2):
        y, t = pl.submit(self.k, x, y, i, deps=[t])
    z, u = pl.submit(self.k, y, z, 0, deps=[t])
""",
    "an array of ids that a loop hands on": """
with pl.manual_scope():
    first = pl.array.create(2, pl.TASK_ID)
    y, s = pl.submit(self.k, x, y, 7)
    first[0] = s
    ids = pl.array.create(2, pl.TASK_ID)
    for i, (before,) in pl.range(3, init_values=(ids,)):
        fresh = pl.array.create(2, pl.TASK_ID)
        if n > 4:
            chosen = before
        else:
            chosen = first
        for j in pl.parallel(2):
            y, t = pl.submit(self.k, x, y, i + j, deps=[chosen])
            fresh[j] = t
        ids = pl.yield_(fresh)
    z, u = pl.submit(self.k, y, z, 0, deps=[ids])
""",
    "a loop that is left early": """
for i in pl.range(8):
    if i > n:
        break
    if i == 1:
        continue
    y = self.k(x, y, i)
z = self.k(y, z, 0)
""",
    "a step that is an argument": """
for i in pl.range(8, 0, 0 - n - 1):
    y = self.k(x, y, i)
""",
    "tensors made in both arms": """
if n > 1:
    t = pl.create_tensor([8, 8], dtype=pl.FP32)
    t = self.k(x, t, 1)
else:
    t = pl.create_tensor([8, 8], dtype=pl.FP32)
    t = self.k(y, t, 2)
z = self.k(t, z, 0)
""",
    "a while loop that reads": """
i = n
while pl.tensor.read(flag, [i]) + 3 > i:
    y = self.k(x, y, i)
    i = i + 1
""",
    "a Graph": """
for i in pl.range(2):
    z, y = self.chain(x, y, z, i + 1)
y, z = self.chain(x, z, y, 7)
""",
    "a Graph with a predicate and a manual scope": """
y = self.gated(x, y, flag)
z = self.gated(y, z, flag)
""",
    "two Graphs in branches and loops": """
for i in pl.range(n):
    if i > 0:
        z, y = self.chain(x, y, z, i)
    else:
        y = self.gated(x, y, flag)
""",
    "a Graph that is submitted": """
z, y, a = pl.submit(self.chain, x, y, z, n)
y = self.k(z, y, n)
""",
    "names that the interface has": """
alloc_tensors = pl.create_tensor([8, 8], dtype=pl.FP32)
args = self.k(x, alloc_tensors, n)
window = n + 1
y = self.k(args, y, window)
""",
}


def program(name: str) -> str:
    """The source text of a construct."""
    body = "".join(f"        {line}\n" for line in BODIES[name].strip().splitlines())
    head = HEAD.replace("Orchestration)", "Orchestration, auto_scope=False)") if name == "scopes" else HEAD
    return f"{head}{body}        return y\n"


DYNAMIC = """\
import pypto.language as pl

ROWS = pl.dynamic("ROWS")


@pl.jit.incore
def add(x: pl.Tensor[[32, 64], pl.FP32], y: pl.InOut[pl.Tensor[[32, 64], pl.FP32]]):
    y[:, :] = pl.add(x[:, :], y[:, :])
    return y


@pl.jit
def main(x: pl.Tensor[[ROWS, 64], pl.FP32], y: pl.InOut[pl.Tensor[[ROWS, 64], pl.FP32]]):
    tmp = pl.create_tensor([ROWS, 64], dtype=pl.FP32)
    for i in pl.range(pl.tensor.dim(x, 0) // 32):
        part = pl.slice(y, [32, 64], [i * 32, 0])
        kept = pl.slice(tmp, [32, 64], [i * 32, 0])
        kept = add(pl.slice(x, [32, 64], [i * 32, 0]), kept)
        with pl.graph("block"):
            part = add(kept, part)
    return y
"""
"""Extents that only the arguments say."""
PROGRAMS = {**{name: program(name) for name in BODIES}, "dynamic extents": DYNAMIC}
