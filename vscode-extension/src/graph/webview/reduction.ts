/** Which waits are shown, in the modes and names of the runtime's own deps_viewer, so that both pictures compare. */

import type { GraphDocument, GraphEdge } from "../document";

export const MODES = ["full", "reduced", "omitted", "reduced_dataflow", "omitted_dataflow"] as const;
export type Mode = (typeof MODES)[number];

/** What the author wrote and what no data needs is in every mode but the omitted ones. */
export function shownEdges(graph: GraphDocument, mode: Mode): GraphEdge[] {
  if (mode === "full") {
    return graph.edges;
  }
  const implied = new Set(graph.edges.filter((edge) => edge.redundant && edge.source !== "explicit" && edge.needed !== "must-not"));
  if (mode.endsWith("_dataflow")) {
    // A wait that alone brings a tensor to its reader stays.
    const brought = new Set(graph.edges.filter((edge) => !edge.redundant).map(({ succ, tensor }) => `${succ} ${tensor}`));
    implied.forEach((edge) => brought.has(`${edge.succ} ${edge.tensor}`) || implied.delete(edge));
  }
  return graph.edges.filter((edge) => implied.has(edge) === mode.startsWith("omitted"));
}
