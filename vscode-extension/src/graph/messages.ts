/** What the panel and the page in it tell each other. */

import type { FixPreview, GraphDocument, GraphView, Place } from "./document";

export const FORMATS = ["svg", "dot", "mermaid", "json"] as const;
export type Format = (typeof FORMATS)[number];

export type ToPage =
  | { type: "graph"; functions: string[]; selected: string; graph: GraphDocument; alerts: Record<string, string[]>; note?: string }
  /** The graph that is shown is an older one, and why. */
  | { type: "outdated"; why: string }
  /** What the quick fix that was asked for does; undefined when there is none that changes the graph. */
  | { type: "preview"; preview?: FixPreview }
  /** The cursor of the editor is in these launches. */
  | { type: "select"; nodes: string[] };

export type FromPage =
  | { type: "ready" }
  | { type: "reveal"; place: Place; focus: boolean }
  | { type: "function"; name: string }
  /** `tasks`: how many of them at most. */
  | { type: "view"; view: GraphView; tasks?: number }
  /** What does the quick fix of that alert of a launch do? */
  | { type: "preview"; node: string; number: number }
  /** `text` is the picture as it is shown, for SVG. */
  | { type: "export"; format: Format; text?: string };
