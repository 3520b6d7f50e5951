/** What the panel and the page in it tell each other. */

import type { GraphDocument, GraphView, Place } from "./document";

export const FORMATS = ["svg", "dot", "mermaid", "json"] as const;
export type Format = (typeof FORMATS)[number];

export type ToPage =
  | { type: "graph"; functions: string[]; selected: string; graph: GraphDocument; alerts: Record<string, string[]>; note?: string }
  /** The graph that is shown is an older one, and why. */
  | { type: "outdated"; why: string }
  /** The cursor of the editor is in these launches. */
  | { type: "select"; nodes: string[] };

export type FromPage =
  | { type: "ready" }
  | { type: "reveal"; place: Place; focus: boolean }
  | { type: "function"; name: string }
  /** `tasks`: how many of them at most. */
  | { type: "view"; view: GraphView; tasks?: number }
  /** `text` is the picture as it is shown, for SVG. */
  | { type: "export"; format: Format; text?: string };
