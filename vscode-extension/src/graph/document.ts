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

/** A graph by launches, by the tasks of two iterations of each loop, or by all tasks. */
export const VIEWS = ["launches", "iterations", "unrolled"] as const;
export type GraphView = (typeof VIEWS)[number];

/** A launch site, or one task of it. `range` covers its body, `selectionRange` its header. */
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
  /** Everything around it, outermost first. */
  groups: string[];
  conditional: boolean;
  args: Argument[];
  early: boolean;
  guarded: boolean;
  /** Blocks of one task that runs on several cores. */
  blocks: string | null;
  known: boolean;
  /** How many tasks longer a chain through it could get before it is the longest; null when it is never reached. */
  slack: number | null;
  /** Of a task: the launch it is of, and in which iteration, "" outside of loops. */
  of?: string;
  at?: string;
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

/** A box: `parent` is the one around it. */
export interface Group extends Place {
  id: string;
  kind: "loop" | "then" | "else" | "manual" | "inline" | "unknown" | "iteration";
  title: string;
  loop: string | null;
  parent: string | null;
}

/** Where something stands between launches: in which boxes, and how many launches are written before it. */
export interface Spot {
  groups: string[];
  after: number;
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
  /** It is a step of the longest chain. */
  critical: boolean;
}

/** A wait that is not made because somebody opted out of tracking, and what is known of the claim that none is needed. */
export interface OptedOut {
  pred: string;
  succ: string;
  hazard: string;
  tensor: string;
  distance: Distance;
  overlap: "must" | "may" | "must-not";
  /** By what it is not tracked. */
  how: string;
  claim: string;
}

/** What `pred` writes decides the predicate of `succ`. */
export interface Guard {
  pred: string;
  succ: string;
  tensor: string;
  distance: Distance;
  /** Some wait sees to it that it is written before. */
  ordered: boolean;
}

/** A control-core access that waits: the launches behind it are submitted later. */
export interface Stall extends Place, Spot {
  id: string;
  access: "read" | "write";
  tensor: string;
  waits: string[];
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

export interface Unknown extends Place, Spot {
  why: string;
  /** It is not told of a launch or a box. */
  alone: boolean;
}

export interface GraphDocument {
  version: number;
  view: GraphView;
  function: string;
  exact: boolean;
  unknown: Unknown[];
  nodes: GraphNode[];
  /** Tasks that are left out. */
  more?: number;
  tensors: Tensor[];
  loops: Loop[];
  groups: Group[];
  edges: GraphEdge[];
  missing: MissingEdge[];
  opted_out: OptedOut[];
  guards: Guard[];
  stalls: Stall[];
  /** `text` is empty where the counts are not known. */
  critical: { path: string[]; text: string };
  summary: Record<string, number | string>;
}

/** Waits that a quick fix takes away or brings. */
export interface ChangedWait {
  pred: string;
  succ: string;
  carried: boolean;
  reasons: string[];
}

/** What a quick fix would do to the graph of a function. */
export interface FixPreview {
  title: string;
  function: string;
  text: string;
  removed: ChangedWait[];
  added: ChangedWait[];
}

export interface Previews {
  previews?: FixPreview[];
  message?: string;
}

export interface GraphAnswer {
  functions?: string[];
  /** The function that `graph` is of, as it is called in `functions`. */
  selected?: string;
  graph?: GraphDocument;
  /** Why there is no graph, or not the view that was asked for. */
  message?: string;
}
