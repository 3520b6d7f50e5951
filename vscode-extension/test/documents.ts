/** Small task graphs for tests. */

import type { GraphDocument, GraphEdge, GraphNode, MissingEdge, Stall } from "../src/graph/document";

export function node(id: string, name: string, rest: Partial<GraphNode> = {}): GraphNode {
  return {
    id,
    name,
    site: "model.py#L1",
    kind: "call",
    count: "1",
    scope: "auto",
    loops: [],
    groups: rest.loops ?? [],
    conditional: false,
    args: [],
    early: false,
    guarded: false,
    blocks: null,
    known: true,
    slack: 0,
    ...rest,
  };
}

export function edge(pred: string, succ: string, rest: Partial<GraphEdge> = {}): GraphEdge {
  return {
    pred,
    succ,
    source: "tensormap",
    hazard: "RAW",
    tensor: "t1",
    overlap: "covered",
    distance: {},
    redundant: false,
    certain: true,
    needed: "must",
    critical: false,
    ...rest,
  };
}

export function stall(id: string, waits: string[], after: number, groups: string[] = []): Stall {
  return { id, access: "read", tensor: "t1", waits, after, groups };
}

export function graph(nodes: GraphNode[], edges: GraphEdge[], missing: MissingEdge[] = []): GraphDocument {
  const loops = [...new Set(nodes.flatMap((each) => each.loops))];
  return {
    version: 1,
    view: "launches",
    function: "main",
    exact: true,
    unknown: [],
    nodes,
    tensors: ["t1", "t2"].map((id, number) => ({ id, name: "sy"[number], shape: [64, 64], dtype: "FP32", owner: null })),
    loops: loops.map((id) => ({ id, kind: "range", var: id, trips: 4, title: `pl.range ${id} ×4` })),
    groups: loops.map((id, number) => ({ id, kind: "loop", title: `pl.range ${id} ×4`, loop: id, parent: loops[number - 1] ?? null })),
    edges,
    missing,
    opted_out: [],
    guards: [],
    stalls: [],
    critical: { path: [], text: "" },
    summary: { tasks: nodes.length, edges: edges.length, depth: 1, width: 1 },
  };
}
