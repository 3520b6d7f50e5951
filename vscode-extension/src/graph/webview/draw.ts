/** The picture as SVG elements. What each looks like is said in media/graph.css by its classes. */

import { svg } from "./dom";
import { badges, shortened, slackText, subtitle } from "./labels";
import { fixedLabel, TITLE_LENGTH, type Layout, type Point, type Rectangle } from "./layout";
import { isBox, isMark, type Box, type Item, type Mark } from "./boxes";
import type { Arrow, ArrowKind, Picture } from "./picture";

export const KINDS: readonly ArrowKind[] = ["raw", "waw", "war", "explicit", "guard", "owner", "false", "missing", "untracked", "verified"];
/** Those and what only a preview has. */
const HEADS: readonly ArrowKind[] = [...KINDS, "added"];

const CORNER = 5;
/** Width of a letter in small print, roughly. */
const LETTER = 6;

/** `<defs>` with an arrow head for every kind: filled, and hollow for an edge into a later iteration. */
export function definitions(): SVGElement {
  const head = (kind: ArrowKind, carried: boolean): SVGElement =>
    svg(
      "marker",
      { id: headName(kind, carried), viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto" },
      svg("path", { d: "M1 1 L9 5 L1 9 z", class: `head ${kind}${carried ? " hollow" : ""}` }),
    );
  const tail = svg(
    "marker",
    { id: "tail", viewBox: "0 0 8 8", refX: 4, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse" },
    svg("circle", { cx: 4, cy: 4, r: 3, class: "head explicit" }),
  );
  const hatch = svg(
    "pattern",
    { id: "hatch", width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svg("path", { d: "M0 0 V7", class: "hatch" }),
  );
  return svg("defs", {}, tail, cross(), hatch, ...HEADS.flatMap((kind) => [head(kind, false), head(kind, true)]));
}

/** In the middle of what is crossed out. */
function cross(): SVGElement {
  const strokes = svg("path", { d: "M1 1 L9 9 M9 1 L1 9", class: "head verified hollow" });
  return svg("marker", { id: "cross", viewBox: "0 0 10 10", refX: 5, refY: 5, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse" }, strokes);
}

function headName(kind: ArrowKind, carried: boolean): string {
  return `head-${kind}${carried ? "-carried" : ""}`;
}

/** `chain` holds the launches on the longest chain. */
export function draw(shown: Picture, layout: Layout, labels: boolean, alerts: Record<string, string[]>, chain: ReadonlySet<string>): SVGElement[] {
  const frames: SVGElement[] = [];
  const nodes: SVGElement[] = [];
  const visit = (box: Box): void => {
    for (const child of box.children) {
      const place = layout.places.get(child.id);
      if (!place) {
        continue;
      }
      if (isMark(child)) {
        (child.mark === "stall" ? frames : nodes).push(drawMark(child, place));
      } else if (!isBox(child)) {
        nodes.push(drawNode(child, place, alerts[child.id] ?? [], chain.has(child.id)));
      } else if (child.closed) {
        nodes.push(drawClosed(child, place));
      } else {
        frames.push(drawFrame(child, place));
        visit(child);
      }
    }
  };
  visit(shown.root);
  const arrows = shown.arrows.flatMap((arrow) => drawArrow(arrow, layout, labels) ?? []);
  return [
    svg("g", { class: "frames" }, ...frames),
    svg("g", { class: "arrows" }, ...arrows.map(({ line }) => line)),
    svg("g", { class: "nodes" }, ...nodes),
    svg("g", { class: "labels" }, ...arrows.map(({ label }) => label)),
  ];
}

function drawNode(item: Item, place: Rectangle, alerts: readonly string[], onChain: boolean): SVGElement {
  const { node } = item;
  const marks = badges(node, alerts);
  const classes = ["node", node.kind, node.scope === "manual" ? "manual" : "", node.known ? "" : "unknown", alerts.length ? "alert" : "", onChain ? "on-chain" : ""];
  const { width, height } = place;
  const round = node.kind === "dummy" ? height / 2 : node.kind === "spmd" || node.kind === "submit" ? 10 : 3;
  const shape = (inset: number, name: string): SVGElement =>
    svg("rect", { x: inset, y: inset, width: width - 2 * inset, height: height - 2 * inset, rx: Math.max(round - inset, 1), class: name });
  const texts = [
    svg("text", { x: 11, y: 16, class: "name" }, node.name),
    svg("text", { x: 11, y: 30, class: "small" }, subtitle(node)),
  ];
  const signs = marks.map(({ sign, meaning }, number) =>
    svg(
      "g",
      { class: `badge${sign === "!" ? " alert" : ""}`, transform: `translate(${width - 12 - 15 * (marks.length - 1 - number)} 26)` },
      svg("circle", { r: 6 }),
      svg("text", { y: 3.5, "text-anchor": "middle" }, sign),
      svg("title", {}, meaning),
    ),
  );
  return svg(
    "g",
    {
      class: classes.filter(Boolean).join(" "),
      transform: `translate(${place.x} ${place.y})`,
      "data-id": item.id,
      "data-key": item.key,
      "data-name": node.name,
      tabindex: 0,
      role: "button",
      "aria-label": [`${node.name}, ${subtitle(node)}`, node.summary ?? "", ...alerts].filter(Boolean).join(". "),
    },
    svg("title", {}, [node.name, node.summary ?? "", slackText(node)].filter(Boolean).join("\n")),
    // One behind the other for a task of many blocks, one in the other for a Graph.
    ...(node.kind === "spmd" ? [svg("rect", { x: 4, y: 4, width, height, rx: round, class: "behind" })] : []),
    shape(0, "shape"),
    ...(node.kind === "graph" ? [shape(3, "inner")] : []),
    ...texts,
    ...signs,
  );
}

function drawMark(mark: Mark, { x, y, width, height }: Rectangle): SVGElement {
  const attributes = {
    transform: `translate(${x} ${y})`,
    "data-id": mark.id,
    "data-key": mark.key,
    tabindex: 0,
    role: "button",
    "aria-label": `${mark.title}. ${mark.meaning}`,
  };
  const title = svg("title", {}, `${mark.title}\n${mark.meaning}`);
  if (mark.mark !== "stall") {
    const text = svg("text", { x: width / 2, y: height / 2 + 4, "text-anchor": "middle", class: "small" }, mark.title);
    const shape = mark.mark === "unknown" ? svg("path", { d: cloud(width, height), class: "shape" }) : svg("rect", { width, height, rx: 3, class: "shape" });
    return svg("g", { class: `node mark ${mark.mark}`, ...attributes }, title, shape, text);
  }
  const upright = height > width;
  const text = upright
    ? svg("text", { transform: `translate(-4 ${height / 2}) rotate(-90)`, "text-anchor": "middle", class: "small" }, mark.title)
    : svg("text", { x: width - 4, y: -4, "text-anchor": "end", class: "small" }, mark.title);
  // A bar of a few pixels is hard to hit.
  const grip = upright ? { x: -16, width: width + 22, height } : { y: -16, width, height: height + 22 };
  return svg("g", { class: "mark stall", ...attributes }, title, svg("rect", { width, height, class: "shape" }), text, svg("rect", { ...grip, class: "handle" }));
}

/** An outline of bows. */
export function cloud(width: number, height: number): string {
  const bows = Math.max(2, Math.round(width / 26));
  const step = (width - height / 2) / bows;
  const [left, low] = [height / 4, height - 4];
  const row = (sign: number): string => `a${(step / 2).toFixed(1)} 7 0 0 1 ${(sign * step).toFixed(1)} 0`.concat(" ").repeat(bows);
  const side = (sign: number): string => `a${height / 4} ${(low - 4) / 2} 0 0 1 0 ${sign * (low - 4)} `;
  return `M${left} 4 ${row(1)}${side(1)}${row(-1)}${side(-1)}z`;
}

function boxAttributes(box: Box): Record<string, string | number> {
  return {
    "data-id": box.id,
    "data-key": box.key,
    tabindex: 0,
    role: "button",
    "aria-expanded": String(!box.closed),
    "aria-label": `${box.title}, ${box.summary}`,
  };
}

function drawFrame(box: Box, place: Rectangle): SVGElement {
  return svg(
    "g",
    { class: `frame ${box.group?.kind ?? ""} ${box.loop?.kind ?? ""}`, transform: `translate(${place.x} ${place.y})`, ...boxAttributes(box) },
    svg("rect", { width: place.width, height: place.height, rx: 6, class: "shape" }),
    ...(box.group?.kind === "manual" ? [svg("rect", { width: place.width, height: place.height, rx: 6, fill: "url(#hatch)" })] : []),
    svg(
      "g",
      { class: "title" },
      svg("rect", { width: place.width, height: 22, rx: 6, class: "handle" }),
      svg("text", { x: 9, y: 15, class: "small" }, `▾ ${shortened(box.title, TITLE_LENGTH)}`),
      svg("title", {}, `${box.title}\n${box.summary}\nClick to close`),
    ),
  );
}

function drawClosed(box: Box, place: Rectangle): SVGElement {
  const { width, height } = place;
  return svg(
    "g",
    { class: `node closed ${box.group?.kind ?? ""} ${box.loop?.kind ?? ""}`, transform: `translate(${place.x} ${place.y})`, ...boxAttributes(box) },
    svg("rect", { x: 4, y: 4, width, height, rx: 6, class: "behind" }),
    svg("rect", { width, height, rx: 6, class: "shape" }),
    svg("text", { x: 9, y: 17, class: "name" }, `▸ ${shortened(box.title, TITLE_LENGTH)}`),
    svg("text", { x: 12, y: 34, class: "small" }, box.summary),
    svg("title", {}, `${box.title}\n${box.summary}\nClick to open`),
  );
}

function drawArrow(arrow: Arrow, layout: Layout, labels: boolean): { line: SVGElement; label: SVGElement } | undefined {
  const route = layout.routes.get(arrow.id);
  if (!route) {
    return undefined;
  }
  const classes = [arrow.kind, arrow.carried ? "carried" : "", arrow.redundant ? "redundant" : "", arrow.possible ? "possible" : "", arrow.critical ? "critical" : "", arrow.removed ? "removed" : ""].filter(Boolean).join(" ");
  const d = path(route.points);
  const data = { "data-id": arrow.id, "data-from": arrow.from, "data-to": arrow.to };
  const line = svg(
    "g",
    { class: `arrow ${classes}`, ...data, "data-label": arrow.label },
    svg("path", { d, class: "grip" }),
    svg("path", {
      d,
      class: "line",
      "marker-end": `url(#${headName(arrow.kind, arrow.carried)})`,
      "marker-start": arrow.kind === "explicit" ? "url(#tail)" : undefined,
    }),
    ...(arrow.kind === "verified" || arrow.removed ? [crossed(route.points)] : []),
    svg("title", {}, arrow.reasons.join("\n")),
  );
  const own = route.label;
  const middle = own ? { x: own.x + own.width / 2, y: own.y + 10 } : { x: halfway(route.points).x, y: halfway(route.points).y - 4 };
  const label = svg(
    "text",
    { class: `label ${classes}${own ? " placed" : isTight(arrow.label, route.points) ? " tight" : ""}`, ...data, x: middle.x, y: middle.y, "text-anchor": "middle" },
    svg("tspan", { class: "short" }, fixedLabel(arrow, labels)),
    svg("tspan", { class: "long" }, arrow.label),
  );
  return { line, label };
}

/** A cross on the middle of a line. */
export function crossed(points: readonly Point[]): SVGElement {
  const { x, y } = halfway(points);
  return svg("path", { d: `M${x} ${y} l0 0`, class: "line", "marker-start": "url(#cross)" });
}

/** A line through the points with rounded corners. */
export function path(points: readonly Point[]): string {
  const [first, ...rest] = points;
  let text = `M${first.x} ${first.y}`;
  rest.forEach((corner, number) => {
    const before = points[number];
    const after = rest[number + 1];
    if (!after) {
      text += ` L${corner.x} ${corner.y}`;
      return;
    }
    const radius = Math.min(CORNER, length(before, corner) / 2, length(corner, after) / 2);
    const start = towards(corner, before, radius);
    const end = towards(corner, after, radius);
    text += ` L${start.x} ${start.y} Q${corner.x} ${corner.y} ${end.x} ${end.y}`;
  });
  return text;
}

function length(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function towards(from: Point, to: Point, distance: number): Point {
  const whole = length(from, to) || 1;
  return { x: from.x + ((to.x - from.x) * distance) / whole, y: from.y + ((to.y - from.y) * distance) / whole };
}

/** The middle of the longest level piece, where a label does least harm. */
export function halfway(points: readonly Point[]): Point {
  return longestLevel(points).at;
}

/** Whether a text in small print would reach beyond the line it stands on, and so over what the line connects. */
export function isTight(text: string, points: readonly Point[]): boolean {
  return text.length * LETTER > longestLevel(points).span;
}

function longestLevel(points: readonly Point[]): { span: number; at: Point } {
  let best: { span: number; at: Point } = { span: -1, at: points[0] };
  for (let number = 1; number < points.length; number++) {
    const [a, b] = [points[number - 1], points[number]];
    const span = Math.abs(a.x - b.x);
    if (span > best.span) {
      best = { span, at: { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 } };
    }
  }
  return best;
}
