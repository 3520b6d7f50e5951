/** Between launches of a graph and places in the text. */

import type { Position, Range } from "../answers";
import type { GraphDocument, GraphNode } from "./document";

/** The launches the position is in: the innermost, several when one line of a helper is launched from several places. */
export function nodesAt(graph: GraphDocument, uri: string, position: Position): string[] {
  const around = graph.nodes.filter((each) => each.uri === uri && each.range !== undefined && contains(each.range, position));
  const lines = Math.min(...around.map((each) => height(each.range!)));
  return around.filter((each) => height(each.range!) === lines).map(({ id }) => id);
}

export interface Problem {
  at: Position;
  message: string;
}

/** The problems in the lines of each launch, by node. A problem counts for the innermost launch around it. */
export function problemsOf(graph: GraphDocument, uri: string, problems: readonly Problem[]): Record<string, Problem[]> {
  const found: Record<string, Problem[]> = {};
  for (const problem of problems) {
    for (const id of nodesAt(graph, uri, problem.at)) {
      (found[id] ??= []).push(problem);
    }
  }
  return found;
}

/** Their messages alone. */
export function alerts(graph: GraphDocument, uri: string, problems: readonly Problem[]): Record<string, string[]> {
  const of = Object.entries(problemsOf(graph, uri, problems));
  return Object.fromEntries(of.map(([id, all]) => [id, all.map(({ message }) => message)]));
}

/** Where a click on a launch leads: its header. */
export function placeOf(node: GraphNode): { uri?: string; range?: Range } {
  return { uri: node.uri, range: node.selectionRange ?? node.range };
}

/** Whole lines: the cursor is in a launch also left of it. */
function contains(range: Range, { line }: Position): boolean {
  return range.start.line <= line && line <= range.end.line;
}

function height(range: Range): number {
  return range.end.line - range.start.line;
}
