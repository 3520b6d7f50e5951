/** What is drawn of a document: boxes with launches in them, and arrows, as the options ask for. No dependency on a page. */

import type { Distance, FixPreview, GraphDocument, GraphEdge } from "../document";
import { boxes, isBox, isMark, type Box } from "./boxes";
import { shownEdges, type Mode } from "./reduction";
import { shortList, stepsOf, tensorName, withSteps } from "./words";

export interface Options {
  mode: Mode;
  /** Edges from whoever allocated a buffer. */
  owners: boolean;
  /** Waits that were opted out of rightly. */
  claims: boolean;
  /** A quick fix whose effect is shown. */
  preview?: FixPreview;
  /** Keys of the boxes that are shown as one node. */
  collapsed: ReadonlySet<string>;
}

export type ArrowKind = "raw" | "waw" | "war" | "explicit" | "owner" | "guard" | "false" | "missing" | "untracked" | "verified" | "added";

export interface Arrow {
  id: string;
  /** Identifiers of an item, a mark or a closed box. */
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
  /** A step of the longest chain. */
  critical: boolean;
  /** A quick fix that is looked at takes it away. */
  removed: boolean;
  reasons: string[];
}

export interface Picture {
  root: Box;
  arrows: Arrow[];
  /** Every launch and mark by what stands for it: itself, or the outermost closed box around it. */
  standsFor: ReadonlyMap<string, string>;
  /** What is drawn before what without an arrow between them: launches on either side of a stall. */
  order: { from: string; to: string }[];
}

export function picture(graph: GraphDocument, options: Options): Picture {
  const root = boxes(graph, options.collapsed);
  const standsFor = shownAs(root);
  const drawn = arrows(graph, options, standsFor);
  return { root, arrows: drawn, standsFor, order: order(graph, root, drawn) };
}

/** What leads to a launch or a mark and away from it, also while it is in a closed box. */
export function arrowsAt(graph: GraphDocument, options: Options, id: string): Arrow[] {
  return picture(graph, { ...options, collapsed: new Set() }).arrows.filter(({ from, to }) => from === id || to === id);
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

/** In the box of a stall: everything that is written before it, and everything behind it that waits for nothing there. */
function order(graph: GraphDocument, root: Box, drawn: readonly Arrow[]): { from: string; to: string }[] {
  const found: { from: string; to: string }[] = [];
  const visit = (box: Box): void => {
    const inside = box.children.map((child) => (isBox(child) && !child.closed ? drawnIn(child) : [child.id]));
    box.children.forEach((child, number) => {
      if (isBox(child)) {
        if (!child.closed) {
          visit(child);
        }
      } else if (isMark(child) && child.mark === "stall") {
        const before = new Set(inside.slice(0, number).flat());
        const behind = new Set(inside.slice(number + 1).flat());
        const within = drawn.filter(({ carried }) => !carried);
        const last = [...before].filter((id) => !within.some(({ from, to }) => from === id && (before.has(to) || to === child.id)));
        const first = [...behind].filter((id) => !within.some(({ from, to }) => to === id && behind.has(from)));
        found.push(...last.map((from) => ({ from, to: child.id })), ...first.map((to) => ({ from: child.id, to })));
      }
    });
  };
  visit(root);
  return found;
}

function drawnIn(box: Box): string[] {
  return box.children.flatMap((child) => (isBox(child) && !child.closed ? drawnIn(child) : [child.id]));
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

interface Ends {
  pred: string;
  succ: string;
  hazard: string | null;
  tensor: string | null;
  distance: Distance;
}

interface Draft extends Omit<Arrow, "label" | "steps"> {
  hazards: Map<string, string[]>;
  allSteps: Set<string>;
}

/** One arrow for all edges of a kind between the same two things. */
function arrows(graph: GraphDocument, options: Options, shown: Map<string, string>): Arrow[] {
  const drafts = new Map<string, Draft>();
  const add = (edge: Ends, kind: ArrowKind, flags: { redundant?: boolean; possible?: boolean; critical?: boolean }, reason: string): void => {
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
      critical: false,
      removed: false,
      reasons: [],
      hazards: new Map(),
      allSteps: new Set(),
    };
    drafts.set(key, draft);
    draft.redundant &&= flags.redundant ?? false;
    draft.possible &&= flags.possible ?? false;
    draft.critical ||= flags.critical ?? false;
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
  for (const edge of shownEdges(graph, options.mode)) {
    const kind = kindOf(edge);
    if (kind !== "owner" || options.owners) {
      add(edge, kind, { redundant: edge.redundant, possible: !edge.certain, critical: edge.critical }, reasonOf(graph, edge, kind));
    }
  }
  for (const edge of graph.missing) {
    const what = `no order: ${edge.hazard} on ${tensorName(graph, edge.tensor)}${edge.code ? ` (${edge.code})` : ""}`;
    add(edge, "missing", {}, what + withSteps(stepsOf(graph, edge.distance)));
  }
  for (const edge of graph.opted_out) {
    const kind = { "must-not": "verified", may: "untracked", must: undefined }[edge.overlap] as ArrowKind | undefined;
    if (kind && (kind === "untracked" || options.claims)) {
      add(edge, kind, {}, `${edge.claim} (${edge.hazard} ${tensorName(graph, edge.tensor)}${withSteps(stepsOf(graph, edge.distance))}; ${edge.how})`);
    }
  }
  for (const edge of graph.guards) {
    const what = `${tensorName(graph, edge.tensor)} decides whether it runs${edge.ordered ? "" : ", and nothing says that it is written before"}`;
    add({ ...edge, hazard: null }, "guard", { possible: !edge.ordered }, what);
  }
  for (const stall of graph.stalls) {
    for (const pred of stall.waits) {
      add({ pred, succ: stall.id, hazard: "RAW", tensor: stall.tensor, distance: {} }, "raw", {}, `the control core waits to ${stall.access} ${tensorName(graph, stall.tensor)}`);
    }
  }
  for (const { pred, succ, reasons } of options.preview?.added ?? []) {
    add({ pred, succ, hazard: null, tensor: null, distance: {} }, "added", {}, `by the quick fix: ${reasons.join("; ")}`);
  }
  for (const { pred, succ, carried } of options.preview?.removed ?? []) {
    const [from, to] = [shown.get(pred), shown.get(succ)];
    for (const draft of drafts.values()) {
      draft.removed ||= WAITS.has(draft.kind) && draft.from === from && draft.to === to && draft.carried === carried;
    }
  }
  return [...drafts.values()].map(({ hazards, allSteps, ...arrow }) => ({
    ...arrow,
    label: labelOf(arrow, hazards, [...allSteps]),
    steps: [...allSteps].join(", "),
  }));
}

const WAITS: ReadonlySet<ArrowKind> = new Set(["raw", "waw", "war", "explicit", "owner", "false"]);

const BEFORE: Partial<Record<ArrowKind, string>> = { false: "✂ ", guard: "guard ", untracked: "not tracked: ", verified: "✓ not tracked: ", added: "+ wait" };

function labelOf(arrow: Pick<Arrow, "kind" | "possible">, hazards: Map<string, string[]>, steps: string[]): string {
  const parts = [...hazards].map(([hazard, tensors]) => [hazard, shortList(tensors)].filter(Boolean).join(" "));
  const text = arrow.kind === "explicit" ? "deps" : parts.join("; ");
  const question = arrow.kind === "missing" || arrow.kind === "untracked" || arrow.possible ? " ?" : "";
  return (BEFORE[arrow.kind] ?? "") + text + question + withSteps(steps);
}

function reasonOf(graph: GraphDocument, edge: GraphEdge, kind: ArrowKind): string {
  const tensor = edge.tensor === null ? "" : ` ${tensorName(graph, edge.tensor)}`;
  const words: Partial<Record<ArrowKind, string>> = {
    explicit: "deps=",
    owner: `made${tensor}`,
    false: `✂ ${edge.hazard}${tensor}, but they never touch the same data`,
  };
  const notes = [edge.redundant ? "implied by others" : "", edge.certain ? "" : "not in every run"].filter(Boolean);
  return (words[kind] ?? `${edge.hazard}${tensor}`) + withSteps(stepsOf(graph, edge.distance)) + (notes.length ? ` (${notes.join(", ")})` : "");
}
