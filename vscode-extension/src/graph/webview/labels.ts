/** The text in a node. */

import type { GraphNode } from "../document";

const LONGEST = 34;

/** Long expressions are in the tooltip in full. */
export function shortened(text: string, longest = LONGEST): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

/** "×4", "×(B·N)": how often it is launched; empty for once. */
export function multiplicity(node: GraphNode): string {
  return node.count === "1" ? "" : `×${shortened(node.count, 18)}`;
}

/** Second line: kind, blocks of an spmd task, how often, and in which ways it is special. */
export function subtitle(node: GraphNode): string {
  const blocks = node.blocks === null ? "" : `⟦${node.blocks}⟧`;
  return [node.kind + blocks, multiplicity(node), shortened(node.at ?? "")].filter(Boolean).join(" ");
}

export interface Badge {
  sign: string;
  meaning: string;
}

export function badges(node: GraphNode, alerts: readonly string[]): Badge[] {
  const found: Badge[] = [];
  const add = (isSo: boolean, sign: string, meaning: string): void => {
    if (isSo) {
      found.push({ sign, meaning });
    }
  };
  add(alerts.length > 0, "!", alerts.join("\n"));
  add(node.scope === "manual", "M", "in a manual scope: only the order that is written");
  add(node.guarded, "P", "guarded by a predicate");
  add(node.conditional, "?", "launched under a condition");
  add(node.early, "E", "may be resolved early");
  add(!node.known, "…", "what it touches is not fully known");
  return found;
}

/** How far a launch is from the longest chain. */
export function slackText({ slack }: GraphNode): string {
  if (slack === null) {
    return "";
  }
  return slack === 0 ? "on a longest chain" : `slack ${slack}: its longest chain is ${slack} ${slack === 1 ? "task" : "tasks"} shorter than the longest`;
}
