/** The server's document of a task graph: the answer of `pto.taskGraph` in JSON. Ranges are those of the protocol. */

import type { Range } from "../answers";

export interface Place {
  uri?: string;
  range?: Range;
}

export interface Argument {
  tensor: string | null;
  name: string | null;
  dir: string;
  region: (number | string)[][] | null;
  why?: string;
  text?: string;
}

/** A launch site. `range` covers its body, `selectionRange` its header. */
export interface GraphNode extends Place {
  id: string;
  /** "path#L12", for who has no ranges. */
  site: string;
  name: string;
  kind: string;
  /** How often it runs: "1", "4", "N", "?". */
  count: string;
  scope: "auto" | "manual";
  /** Loops around it, outermost first. */
  loops: string[];
  conditional: boolean;
  args: Argument[];
  early: boolean;
  guarded: boolean;
  /** Blocks of one task that runs on several cores. */
  blocks: string | null;
  known: boolean;
  selectionRange?: Range;
  summary?: string;
}

export interface Tensor extends Place {
  id: string;
  name: string;
  shape: (number | string)[] | null;
  dtype: string | null;
  owner: string | null;
}

export interface Loop extends Place {
  id: string;
  kind: string;
  var: string | null;
  trips: number | string | null;
  title: string;
}

/** Iterations from producer to consumer, by loop. */
export type Distance = Record<string, number>;

export interface GraphEdge {
  pred: string;
  succ: string;
  source: "explicit" | "creator" | "tensormap";
  hazard: string | null;
  tensor: string | null;
  overlap: string;
  distance: Distance;
  redundant: boolean;
  certain: boolean;
  /** Whether the data asks for the order; "must-not" marks an edge between accesses that never meet. */
  needed: "must" | "may" | "must-not";
}

export interface MissingEdge {
  pred: string;
  succ: string;
  hazard: string;
  tensor: string;
  distance: Distance;
  rule: string | null;
  code?: string;
}

export interface Unknown extends Place {
  why: string;
}

export interface GraphDocument {
  version: number;
  function: string;
  exact: boolean;
  unknown: Unknown[];
  nodes: GraphNode[];
  tensors: Tensor[];
  loops: Loop[];
  edges: GraphEdge[];
  missing: MissingEdge[];
  summary: Record<string, number | string>;
}

export interface GraphAnswer {
  functions?: string[];
  /** The function that `graph` is of, as it is called in `functions`. */
  selected?: string;
  graph?: GraphDocument;
  message?: string;
}
