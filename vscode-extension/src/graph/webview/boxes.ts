/** The boxes of a graph with launches and marks in them, in the order of the text. No dependency on a page. */

import type { GraphDocument, GraphNode, Group, Loop, Place, Stall, Unknown } from "../document";
import { shortList, tensorName } from "./words";

export interface Item {
  id: string;
  /** Stays the same while the text around the launch changes, which the id does not. */
  key: string;
  node: GraphNode;
}

/** Something between launches: a control-core access that stops submission, a part that was not understood, or what is left out. */
export interface Mark {
  id: string;
  key: string;
  mark: "stall" | "unknown" | "more";
  title: string;
  /** What it means. */
  meaning: string;
  place: Place;
}

export interface Box {
  id: string;
  key: string;
  /** Undefined for the function itself. */
  group?: Group;
  loop?: Loop;
  title: string;
  /** What a closed box says of its content. */
  summary: string;
  closed: boolean;
  children: Child[];
}

export type Child = Box | Item | Mark;

export function isBox(child: Child): child is Box {
  return "children" in child;
}

export function isMark(child: Child): child is Mark {
  return "mark" in child;
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

export function boxes(graph: GraphDocument, collapsed: ReadonlySet<string>): Box {
  const root: Box = { id: "root", key: "", title: graph.function, summary: "", closed: false, children: [] };
  const loops = new Map(graph.loops.map((loop) => [loop.id, loop]));
  // The trip count of a loop may change under one's hands.
  const named = ({ kind, title, loop }: Group): string => (loop === null ? `${kind} ${title}` : `loop ${loops.get(loop)?.kind} ${loops.get(loop)?.var ?? ""}`);
  const groupKeys = keys(graph.groups, named);
  const groups = new Map(graph.groups.map((group, number) => [group.id, { group, key: groupKeys[number] }]));
  const open = new Map<string, Box>();
  for (const { around, child } of inOrder(graph)) {
    let at = root;
    for (const id of around) {
      const { group, key } = groups.get(id)!;
      let box = open.get(id);
      if (!box) {
        const loop = group.loop === null ? undefined : loops.get(group.loop);
        box = { id, key, group, loop, title: group.title, summary: "", closed: collapsed.has(key), children: [] };
        open.set(id, box);
        at.children.push(box);
      }
      at = box;
    }
    at.children.push(child);
  }
  for (const box of open.values()) {
    box.summary = summary(graph, box);
  }
  return root;
}

/** Launches and marks as they are written. */
function inOrder(graph: GraphDocument): { at: number; around: string[]; child: Item | Mark }[] {
  const ownKeys = nodeKeys(graph);
  const found = graph.nodes.map((node, number) => ({ at: number, around: node.groups, child: { id: node.id, key: ownKeys[number], node } as Item | Mark }));
  const stalls = keys(graph.stalls, (stall) => stallTitle(graph, stall));
  graph.stalls.forEach((stall, number) => found.push({ at: stall.after - 0.5, around: stall.groups, child: stallMark(graph, stall, stalls[number]) }));
  const unknown = graph.unknown.filter(({ alone }) => alone);
  const clouds = keys(unknown, ({ why }) => `? ${why}`);
  unknown.forEach((each, number) => found.push({ at: each.after - 0.4, around: each.groups, child: cloud(each, number, clouds[number]) }));
  if (graph.more) {
    const title = `… ${graph.more} more ${graph.more === 1 ? "task" : "tasks"}`;
    found.push({ at: graph.nodes.length, around: [], child: { id: "more", key: "more", mark: "more", title, meaning: "Not drawn. Click to draw them as well.", place: {} } });
  }
  return found.sort((a, b) => a.at - b.at);
}

function stallTitle(graph: GraphDocument, { access, tensor }: Stall): string {
  return `${access} ${tensorName(graph, tensor)}`;
}

function stallMark(graph: GraphDocument, stall: Stall, key: string): Mark {
  const meaning = "The control core waits here: what follows is submitted later.";
  return { id: stall.id, key, mark: "stall", title: stallTitle(graph, stall), meaning, place: stall };
}

function cloud(unknown: Unknown, number: number, key: string): Mark {
  const meaning = "Not understood: what it launches, and what waits for that, is not shown.";
  return { id: `u${number + 1}`, key, mark: "unknown", title: `? ${unknown.why}`, meaning, place: unknown };
}

/** "4 launches, chained by y (WAW)". */
function summary(graph: GraphDocument, box: Box): string {
  const inside = new Set(items(box).map(({ id }) => id));
  const noun = graph.view === "launches" ? ["launch", "launches"] : ["task", "tasks"];
  const launches = `${inside.size} ${noun[inside.size === 1 ? 0 : 1]}`;
  if (!box.loop || graph.view !== "launches") {
    return launches;
  }
  const loop = box.loop.id;
  const carried = graph.edges.filter((edge) => inside.has(edge.pred) && inside.has(edge.succ) && (edge.distance[loop] ?? 0) > 0);
  const chains = new Set(carried.map((edge) => (edge.tensor === null ? "deps" : `${tensorName(graph, edge.tensor)} (${edge.hazard})`)));
  const unknown = graph.nodes.some((node) => inside.has(node.id) && !node.known);
  if (chains.size) {
    return `${launches}, chained by ${shortList([...chains])}`;
  }
  return `${launches}, ${unknown ? "not all of it known" : "iterations independent"}`;
}

/** The launches in a box and the boxes in it. */
export function items(box: Box): Item[] {
  return box.children.flatMap((child) => (isBox(child) ? items(child) : isMark(child) ? [] : [child]));
}

/** Everything in a box that is not a box. */
export function leaves(box: Box): (Item | Mark)[] {
  return box.children.flatMap((child) => (isBox(child) ? leaves(child) : [child]));
}

/** The boxes in a box, outer ones first. */
export function boxesIn(box: Box): Box[] {
  return box.children.filter(isBox).flatMap((child) => [child, ...boxesIn(child)]);
}

/** The launch, mark or box with that key. */
export function findByKey(root: Box, key: string): Child | undefined {
  return [...leaves(root), ...boxesIn(root)].find((each) => each.key === key);
}

export function keyOfId(root: Box, id: string): string | undefined {
  return [...leaves(root), ...boxesIn(root)].find((each) => each.id === id)?.key;
}
