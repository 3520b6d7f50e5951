/** How tensors and iterations are called. */

import type { Distance, GraphDocument } from "../document";

export function tensorName(graph: GraphDocument, id: string): string {
  return graph.tensors.find((tensor) => tensor.id === id)?.name ?? id;
}

/** What the lists of peers call a launch, a box or a stall. Tasks of one launch differ in their iteration. */
export function nameOf(graph: GraphDocument, id: string): string {
  const node = graph.nodes.find((each) => each.id === id);
  if (node) {
    return node.at ? `${node.name} (${node.at})` : node.name;
  }
  const stall = graph.stalls.find((each) => each.id === id);
  return graph.groups.find((group) => group.id === id)?.title ?? (stall ? `${stall.access} ${tensorName(graph, stall.tensor)}` : id);
}

export function shortList(names: string[]): string {
  return names.length > 3 ? `${names.slice(0, 2).join(", ")} +${names.length - 2}` : names.join(", ");
}

/** "i→i+1" for every loop that is crossed. */
export function stepsOf(graph: GraphDocument, distance: Distance): string[] {
  return Object.entries(distance)
    .filter(([, steps]) => steps !== 0)
    .map(([id, steps]) => {
      const name = graph.loops.find((loop) => loop.id === id)?.var ?? "i";
      return `${name}→${name}${steps > 0 ? "+" : "−"}${Math.abs(steps)}`;
    });
}

/** "1 task", "12 tasks", "≤829 tasks", "2*N tasks"; undefined for what is not known. */
export function counted(count: number | string, noun: string): string | undefined {
  return String(count).includes("?") ? undefined : atMost(`${count} ${noun}${String(count) === "1" ? "" : "s"}`);
}

/** The server writes bounds as Python does. */
export function atMost(text: string): string {
  return text.replaceAll("<=", "≤");
}

export function withSteps(steps: string[]): string {
  return steps.length ? ` ${steps.join(", ")}` : "";
}
