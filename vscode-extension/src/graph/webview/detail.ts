/** The strip below the picture: what is known of the launch or the arrow that is selected. */

import type { Argument, GraphDocument, GraphNode, Place } from "../document";
import { html } from "./dom";
import type { Box, Mark } from "./boxes";
import { badges, slackText, subtitle } from "./labels";
import type { Arrow } from "./picture";
import { nameOf, tensorName } from "./words";

export interface Links {
  reveal: (place: Place) => void;
  select: (id: string) => void;
  /** Asks what the quick fix of an alert does; undefined where that cannot be shown. */
  preview?: (node: string, number: number) => void;
}

const DIRECTION = { in: "reads", out: "writes", inout: "reads and writes", no_dep: "opted out", scalar: "scalar" } as Record<string, string>;

export function nodeDetail(graph: GraphDocument, node: GraphNode, arrows: readonly Arrow[], alerts: readonly string[], links: Links): HTMLElement {
  const peers = (title: string, all: readonly Arrow[], end: "from" | "to"): HTMLElement =>
    html(
      "section",
      {},
      html("h3", {}, title),
      all.length ? html("ul", {}, ...all.map((arrow) => peer(graph, arrow, end, links))) : html("p", { class: "none" }, "nothing"),
    );
  const special = [...badges(node, []).map(({ meaning }) => meaning), slackText(node)].filter(Boolean);
  const jump = html("button", { class: "link", title: "Show in the editor" }, node.name);
  jump.addEventListener("click", () => links.reveal({ uri: node.uri, range: node.selectionRange ?? node.range }));
  return html(
    "div",
    { class: "columns" },
    html(
      "section",
      {},
      html("h2", {}, jump, html("span", {}, ` ${subtitle(node)}`)),
      ...alerts.map((text, number) => alert(node, text, number, links)),
      ...special.map((text) => html("p", {}, text)),
      node.args.length ? html("table", {}, ...node.args.map((each) => argument(graph, each))) : html("p", { class: "none" }, "no tensors"),
    ),
    peers("Waits for", arrows.filter((arrow) => arrow.to === node.id), "from"),
    peers("Followed by", arrows.filter((arrow) => arrow.from === node.id), "to"),
  );
}

function alert(node: GraphNode, text: string, number: number, links: Links): HTMLElement {
  const { preview } = links;
  if (!preview) {
    return html("p", { class: "alert" }, `! ${text}`);
  }
  const link = html("button", { class: "link preview", title: "Show what its quick fix would do to the graph" }, "What would its fix do?");
  link.addEventListener("click", () => preview(node.id, number));
  return html("p", { class: "alert" }, `! ${text} `, link);
}

function argument(graph: GraphDocument, { tensor, name, dir, region, why }: Argument): HTMLElement {
  const written = region?.map((interval) => interval.join(":")).join(", ");
  const found = graph.tensors.find((each) => each.id === tensor);
  return html(
    "tr",
    { title: found?.shape ? `${found.name}: [${found.shape.join(", ")}] ${found.dtype ?? ""}` : "" },
    html("td", {}, name ?? (tensor === null ? "?" : tensorName(graph, tensor))),
    html("td", {}, written === undefined ? "" : `[${written}]`),
    html("td", {}, (DIRECTION[dir] ?? dir) + (why ? ` (${why})` : "")),
  );
}

function peer(graph: GraphDocument, arrow: Arrow, end: "from" | "to", links: Links): HTMLElement {
  const other = arrow[end];
  const link = html("button", { class: "link" }, nameOf(graph, other));
  link.addEventListener("click", () => links.select(other));
  return html("li", { class: arrow.kind }, link, ` ${arrow.reasons.slice(0, 4).join("; ")}${arrow.reasons.length > 4 ? "; …" : ""}`);
}

export function arrowDetail(graph: GraphDocument, arrow: Arrow, links: Links): HTMLElement {
  const ends = [arrow.from, arrow.to].map((id) => {
    const link = html("button", { class: "link" }, nameOf(graph, id));
    link.addEventListener("click", () => links.select(id));
    return link;
  });
  return html(
    "div",
    { class: "columns" },
    html("section", {}, html("h2", {}, ends[0], " → ", ends[1]), html("ul", {}, ...arrow.reasons.map((reason) => html("li", { class: arrow.kind }, reason)))),
  );
}

export function boxDetail(box: Box, links: Links): HTMLElement {
  const jump = html("button", { class: "link", title: "Show in the editor" }, box.title);
  jump.addEventListener("click", () => links.reveal(box.group ?? {}));
  return html("div", { class: "columns" }, html("section", {}, html("h2", {}, jump), html("p", {}, box.summary)));
}

export function markDetail(graph: GraphDocument, mark: Mark, arrows: readonly Arrow[], links: Links): HTMLElement {
  const jump = html("button", { class: "link", title: "Show in the editor" }, mark.title);
  jump.addEventListener("click", () => links.reveal(mark.place));
  const waits = arrows.filter(({ to }) => to === mark.id).map((arrow) => peer(graph, arrow, "from", links));
  const peers = waits.length ? [html("section", {}, html("h3", {}, "Waits for"), html("ul", {}, ...waits))] : [];
  return html("div", { class: "columns" }, html("section", {}, html("h2", {}, jump), html("p", {}, mark.meaning)), ...peers);
}
