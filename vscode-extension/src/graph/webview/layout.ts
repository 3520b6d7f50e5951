/** Places for boxes, nodes and arrows: layers from left to right, each loop a box of its own. */

import ELK from "elkjs/lib/elk.bundled.js";
import type { ElkEdgeSection, ElkExtendedEdge, ElkNode, LayoutOptions } from "elkjs/lib/elk-api";
import { badges, shortened, subtitle } from "./labels";
import { isBox, isMark, type Box, type Child, type Item } from "./boxes";
import type { Arrow, Picture } from "./picture";

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

export interface Route {
  points: Point[];
  /** Where the label has its own room; undefined when labels are not laid out. */
  label?: Rectangle;
}

export interface Layout {
  width: number;
  height: number;
  /** By identifier of an item or a box. */
  places: Map<string, Rectangle>;
  routes: Map<string, Route>;
}

/** Width of a text in pixels, in the font of a node's name or of the small print. */
export type Measure = (text: string, font: "name" | "small") => number;

export const NODE_HEIGHT = 38;
export const CLOSED_HEIGHT = 44;
/** Every box has room for that much of its title. */
export const TITLE_LENGTH = 48;
const BADGE_WIDTH = 15;
const BAR_WIDTH = 10;

export interface Style {
  /** Time runs to the right, or downwards where the panel is higher than wide. */
  direction: "right" | "down";
  /** Whether every arrow has its label, or only those that cannot do without. */
  labels: boolean;
}

const ROOT: LayoutOptions = {
  "elk.algorithm": "layered",
  "elk.hierarchyHandling": "INCLUDE_CHILDREN",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.json.shapeCoords": "ROOT",
  "elk.json.edgeCoords": "ROOT",
  "elk.padding": "[top=16,left=16,bottom=16,right=16]",
  "elk.layered.considerModelOrder.strategy": "NODES_AND_EDGES",
  "elk.layered.feedbackEdges": "true",
  "elk.layered.nodePlacement.bk.fixedAlignment": "BALANCED",
  "elk.layered.spacing.nodeNodeBetweenLayers": "36",
  "elk.layered.spacing.edgeNodeBetweenLayers": "14",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "9",
  "elk.spacing.nodeNode": "18",
  "elk.spacing.edgeNode": "12",
  "elk.spacing.edgeEdge": "9",
  "elk.spacing.edgeLabel": "3",
  "elk.spacing.nodeSelfLoop": "10",
};

const BOX: LayoutOptions = {
  "elk.padding": "[top=30,left=14,bottom=14,right=14]",
};

const elk = new ELK();

export async function layout(shown: Picture, alerts: Record<string, string[]>, style: Style, measure: Measure): Promise<Layout> {
  const order = new Map(sequence(shown.root).map((id, number) => [id, number]));
  const isForward = ({ from, to }: Arrow): boolean => (order.get(from) ?? 0) < (order.get(to) ?? 0);
  const graph: ElkNode = await elk.layout({
    id: shown.root.id,
    layoutOptions: { ...ROOT, "elk.direction": style.direction.toUpperCase() },
    children: shown.root.children.map((child) => element(child, alerts, measure)),
    edges: [...shown.arrows.map((arrow) => edge(arrow, isForward(arrow), style.labels, measure)), ...shown.order.map(unseen)],
  });
  const places = new Map<string, Rectangle>();
  const routes = new Map<string, Route>();
  collect(graph, places, routes);
  stretch(shown.root, { x: 0, y: 0, width: graph.width ?? 0, height: graph.height ?? 0 }, places, style.direction);
  return { width: graph.width ?? 0, height: graph.height ?? 0, places, routes };
}

/** What is drawn as a node, in the order of the text. */
function sequence(box: Box): string[] {
  return box.children.flatMap((child) => (isBox(child) && !child.closed ? sequence(child) : [child.id]));
}

export function nodeWidth(item: Item, alerts: readonly string[], measure: Measure): number {
  const marks = badges(item.node, alerts).length * BADGE_WIDTH;
  return Math.ceil(Math.max(measure(item.node.name, "name"), measure(subtitle(item.node), "small") + marks + 6, 40) + 22);
}

function element(child: Child, alerts: Record<string, string[]>, measure: Measure): ElkNode {
  if (isMark(child)) {
    const width = Math.ceil(measure(child.title, "small"));
    return child.mark !== "stall"
      ? { id: child.id, width: width + 44, height: NODE_HEIGHT }
      : { id: child.id, width: BAR_WIDTH, height: NODE_HEIGHT, labels: [{ text: child.title, width, height: 13 }], layoutOptions: { "elk.nodeLabels.placement": "OUTSIDE H_CENTER V_BOTTOM" } };
  }
  if (!isBox(child)) {
    return { id: child.id, width: nodeWidth(child, alerts[child.id] ?? [], measure), height: NODE_HEIGHT };
  }
  const title = measure(shortened(child.title, TITLE_LENGTH), child.closed ? "name" : "small") + 40;
  if (child.closed) {
    return { id: child.id, width: Math.max(title, measure(child.summary, "small") + 28), height: CLOSED_HEIGHT };
  }
  return {
    id: child.id,
    layoutOptions: { ...BOX, "elk.nodeSize.constraints": "MINIMUM_SIZE", "elk.nodeSize.minimum": `(${Math.ceil(title)},60)` },
    children: child.children.map((each) => element(each, alerts, measure)),
  };
}

/** What is written at an arrow in any case: an order that is not there or not needed, and steps to later iterations. */
export function fixedLabel(arrow: Arrow, labels: boolean): string {
  return labels || arrow.removed || ["missing", "false", "added"].includes(arrow.kind) ? arrow.label : arrow.steps;
}

function edge(arrow: Arrow, forward: boolean, labels: boolean, measure: Measure): ElkExtendedEdge {
  const written = fixedLabel(arrow, labels);
  const text = { id: `${arrow.id}-label`, text: written, width: Math.ceil(measure(written, "small")) + 4, height: 13 };
  return {
    id: arrow.id,
    sources: [arrow.from],
    targets: [arrow.to],
    // Where arrows form a circle, those against the order of the text are the ones that point backwards.
    layoutOptions: { "elk.layered.priority.direction": forward ? "10" : "0" },
    labels: written ? [text] : [],
  };
}

/** Keeps two launches on the sides of a stall that they are on in time. */
function unseen({ from, to }: { from: string; to: string }): ElkExtendedEdge {
  return { id: `order ${from} ${to}`, sources: [from], targets: [to], layoutOptions: { "elk.layered.priority.direction": "20" } };
}

/** A stall is a bar across all of its box. */
function stretch(box: Box, around: Rectangle, places: Map<string, Rectangle>, direction: Style["direction"]): void {
  const top = box.group ? 26 : 8;
  for (const child of box.children) {
    const place = places.get(child.id);
    if (place && isBox(child) && !child.closed) {
      stretch(child, place, places, direction);
    } else if (place && isMark(child) && child.mark === "stall") {
      const middle = direction === "right" ? place.x + place.width / 2 : place.y + place.height / 2;
      places.set(
        child.id,
        direction === "right"
          ? { x: middle - BAR_WIDTH / 2, y: around.y + top, width: BAR_WIDTH, height: around.height - top - 8 }
          : { x: around.x + 8, y: middle - BAR_WIDTH / 2, width: around.width - 16, height: BAR_WIDTH },
      );
    }
  }
}

function collect(parent: ElkNode, places: Map<string, Rectangle>, routes: Map<string, Route>): void {
  for (const each of parent.edges ?? []) {
    const section = each.sections?.[0];
    if (section && !each.id.startsWith("order ")) {
      const label = each.labels?.[0];
      routes.set(each.id, { points: along(section), label: label && rectangle(label) });
    }
  }
  for (const child of parent.children ?? []) {
    places.set(child.id, rectangle(child));
    collect(child, places, routes);
  }
}

function along({ startPoint, bendPoints, endPoint }: ElkEdgeSection): Point[] {
  return [startPoint, ...(bendPoints ?? []), endPoint];
}

function rectangle({ x = 0, y = 0, width = 0, height = 0 }: Partial<Rectangle>): Rectangle {
  return { x, y, width, height };
}

/** The first layout compiles the library; that is done while the server still thinks. */
export function warmUp(): void {
  const item = (id: string): ElkNode => ({ id, width: 80, height: NODE_HEIGHT });
  const edges = ["a b", "b c", "a c", "c b"].map((ends, number) => ({ id: `e${number}`, sources: [ends[0]], targets: [ends[2]], labels: [{ text: ends, width: 20, height: 13 }] }));
  const loop: ElkNode = { id: "loop", layoutOptions: BOX, children: [item("b"), item("c")] };
  void elk.layout({ id: "root", layoutOptions: { ...ROOT, "elk.direction": "RIGHT" }, children: [item("a"), loop], edges });
}
