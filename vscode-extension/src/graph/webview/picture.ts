/** What is drawn of a document: boxes with launches in them, and arrows, as the options ask for. No dependency on a page. */

import type { Distance, GraphDocument, GraphEdge, GraphNode, Loop } from "../document";

export interface Options {
  /** Edges that others imply. */
  redundant: boolean;
  /** Edges from whoever allocated a buffer. */
  owners: boolean;
  /** Keys of the boxes that are shown as one node. */
  collapsed: ReadonlySet<string>;
}

export type ArrowKind = "raw" | "waw" | "war" | "explicit" | "owner" | "false" | "missing";

export interface Item {
  id: string;
  /** Stays the same while the text around the launch changes, which the id does not. */
  key: string;
  node: GraphNode;
}

export interface Box {
  id: string;
  key: string;
  /** Undefined for the function itself. */
  loop?: Loop;
  title: string;
  /** What a closed box says of its content. */
  summary: string;
  closed: boolean;
  children: (Box | Item)[];
}

export interface Arrow {
  id: string;
  /** Identifiers of an item or a closed box. */
  from: string;
  to: string;
  kind: ArrowKind;
  label: string;
  /** From one iteration to a later one, and how: "i→i+1". */
  carried: boolean;
  steps: string;
  redundant: boolean;
  /** Not known to be there in every run. */
  possible: boolean;
  reasons: string[];
}

export interface Picture {
  root: Box;
  arrows: Arrow[];
  /** Every launch by what stands for it: itself, or the outermost closed box around it. */
  standsFor: ReadonlyMap<string, string>;
}

export function isBox(child: Box | Item): child is Box {
  return "children" in child;
}

export function picture(graph: GraphDocument, options: Options): Picture {
  const root = boxes(graph, options);
  const standsFor = shownAs(root);
  return { root, arrows: arrows(graph, options, standsFor), standsFor };
}

/** Keys of the launches, in their order. */
export function nodeKeys(graph: GraphDocument): string[] {
  return keys(graph.nodes, (node) => node.name);
}

/** A name and how many of that name came before. */
export function keys<T>(all: readonly T[], name: (each: T) => string): string[] {
  const seen = new Map<string, number>();
  return all.map((each) => {
    const text = name(each);
    const number = seen.get(text) ?? 0;
    seen.set(text, number + 1);
    return `${text}#${number}`;
  });
}

function boxes(graph: GraphDocument, options: Options): Box {
  const root: Box = { id: "root", key: "", title: graph.function, summary: "", closed: false, children: [] };
  const loopKeys = keys(graph.loops, (loop) => `${loop.kind} ${loop.var ?? ""}`);
  const open = new Map<string, Box>();
  const loops = new Map(graph.loops.map((loop, number) => [loop.id, { loop, key: loopKeys[number] }]));
  const ownKeys = nodeKeys(graph);
  graph.nodes.forEach((node, number) => {
    let at = root;
    for (const id of node.loops) {
      const { loop, key } = loops.get(id)!;
      let box = open.get(id);
      if (!box) {
        box = { id, key, loop, title: loop.title, summary: "", closed: options.collapsed.has(key), children: [] };
        open.set(id, box);
        at.children.push(box);
      }
      at = box;
    }
    at.children.push({ id: node.id, key: ownKeys[number], node });
  });
  for (const box of open.values()) {
    box.summary = summary(graph, box);
  }
  return root;
}

/** "4 launches, chained by y (WAW)". */
function summary(graph: GraphDocument, box: Box): string {
  const inside = new Set(items(box).map(({ id }) => id));
  const carried = graph.edges.filter((edge) => inside.has(edge.pred) && inside.has(edge.succ) && (edge.distance[box.id] ?? 0) > 0);
  const chains = new Set(carried.map((edge) => (edge.tensor === null ? "deps" : `${tensorName(graph, edge.tensor)} (${edge.hazard})`)));
  const unknown = graph.nodes.some((node) => inside.has(node.id) && !node.known);
  const launches = `${inside.size} ${inside.size === 1 ? "launch" : "launches"}`;
  if (chains.size) {
    return `${launches}, chained by ${shortList([...chains])}`;
  }
  return `${launches}, ${unknown ? "not all of it known" : "iterations independent"}`;
}

export function items(box: Box): Item[] {
  return box.children.flatMap((child) => (isBox(child) ? items(child) : [child]));
}

function shownAs(root: Box): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (box: Box, closed: string | undefined): void => {
    for (const child of box.children) {
      if (isBox(child)) {
        visit(child, closed ?? (child.closed ? child.id : undefined));
      } else {
        found.set(child.id, closed ?? child.id);
      }
    }
  };
  visit(root, undefined);
  return found;
}

function kindOf(edge: GraphEdge): ArrowKind {
  if (edge.source === "explicit") {
    return "explicit";
  }
  if (edge.needed === "must-not") {
    return "false";
  }
  if (edge.source === "creator") {
    return "owner";
  }
  return edge.hazard === "WAW" ? "waw" : edge.hazard === "WAR" ? "war" : "raw";
}

interface Draft extends Omit<Arrow, "label" | "steps"> {
  hazards: Map<string, string[]>;
  allSteps: Set<string>;
}

/** One arrow for all edges of a kind between the same two things. */
function arrows(graph: GraphDocument, options: Options, shown: Map<string, string>): Arrow[] {
  const drafts = new Map<string, Draft>();
  const add = (
    edge: { pred: string; succ: string; hazard: string | null; tensor: string | null; distance: Distance },
    kind: ArrowKind,
    flags: { redundant: boolean; possible: boolean },
    reason: string,
  ): void => {
    const from = shown.get(edge.pred) ?? edge.pred;
    const to = shown.get(edge.succ) ?? edge.succ;
    // What happens inside a closed box is what its summary says.
    if (from === to && edge.pred !== from) {
      return;
    }
    const steps = stepsOf(graph, edge.distance);
    const key = [from, to, kind, steps.length > 0].join(" ");
    const draft: Draft = drafts.get(key) ?? {
      id: `e${drafts.size}`,
      from,
      to,
      kind,
      carried: steps.length > 0,
      redundant: true,
      possible: true,
      reasons: [],
      hazards: new Map(),
      allSteps: new Set(),
    };
    drafts.set(key, draft);
    draft.redundant &&= flags.redundant;
    draft.possible &&= flags.possible;
    draft.reasons.push(reason);
    steps.forEach((each) => draft.allSteps.add(each));
    const hazard = edge.tensor === null ? "" : (edge.hazard ?? "");
    const tensors = draft.hazards.get(hazard) ?? [];
    const name = edge.tensor === null ? "" : tensorName(graph, edge.tensor);
    if (name && !tensors.includes(name)) {
      tensors.push(name);
    }
    draft.hazards.set(hazard, tensors);
  };
  for (const edge of graph.edges) {
    const kind = kindOf(edge);
    const always = kind === "explicit" || kind === "false";
    if ((edge.redundant && !always && !options.redundant) || (kind === "owner" && !options.owners)) {
      continue;
    }
    add(edge, kind, { redundant: edge.redundant, possible: !edge.certain }, reasonOf(graph, edge, kind));
  }
  for (const edge of graph.missing) {
    const what = `no order: ${edge.hazard} on ${tensorName(graph, edge.tensor)}${edge.code ? ` (${edge.code})` : ""}`;
    add(edge, "missing", { redundant: false, possible: false }, what + withSteps(stepsOf(graph, edge.distance)));
  }
  return [...drafts.values()].map(({ hazards, allSteps, ...arrow }) => ({
    ...arrow,
    label: labelOf(arrow, hazards, [...allSteps]),
    steps: [...allSteps].join(", "),
  }));
}

function labelOf(arrow: Pick<Arrow, "kind" | "possible">, hazards: Map<string, string[]>, steps: string[]): string {
  const parts = [...hazards].map(([hazard, tensors]) => [hazard, shortList(tensors)].filter(Boolean).join(" "));
  const mark = arrow.kind === "false" ? "✂ " : "";
  const text = arrow.kind === "explicit" ? "deps" : parts.join("; ");
  const question = arrow.kind === "missing" || arrow.possible ? " ?" : "";
  return mark + text + question + withSteps(steps);
}

function reasonOf(graph: GraphDocument, edge: GraphEdge, kind: ArrowKind): string {
  const tensor = edge.tensor === null ? "" : ` ${tensorName(graph, edge.tensor)}`;
  const words = {
    explicit: "deps=",
    owner: `made${tensor}`,
    false: `✂ ${edge.hazard}${tensor}, but they never touch the same data`,
    raw: `RAW${tensor}`,
    waw: `WAW${tensor}`,
    war: `WAR${tensor}`,
    missing: "",
  };
  const notes = [edge.redundant ? "implied by others" : "", edge.certain ? "" : "not in every run"].filter(Boolean);
  return words[kind] + withSteps(stepsOf(graph, edge.distance)) + (notes.length ? ` (${notes.join(", ")})` : "");
}

function stepsOf(graph: GraphDocument, distance: Distance): string[] {
  return Object.entries(distance)
    .filter(([, steps]) => steps !== 0)
    .map(([id, steps]) => {
      const name = graph.loops.find((loop) => loop.id === id)?.var ?? "i";
      return `${name}→${name}${steps > 0 ? "+" : "−"}${Math.abs(steps)}`;
    });
}

function withSteps(steps: string[]): string {
  return steps.length ? ` ${steps.join(", ")}` : "";
}

export function tensorName(graph: GraphDocument, id: string): string {
  return graph.tensors.find((tensor) => tensor.id === id)?.name ?? id;
}

function shortList(names: string[]): string {
  return names.length > 3 ? `${names.slice(0, 2).join(", ")} +${names.length - 2}` : names.join(", ");
}
