/** How tensors and iterations are called. */

import type { Distance, GraphDocument } from "../document";

export function tensorName(graph: GraphDocument, id: string): string {
  return graph.tensors.find((tensor) => tensor.id === id)?.name ?? id;
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

export function withSteps(steps: string[]): string {
  return steps.length ? ` ${steps.join(", ")}` : "";
}
