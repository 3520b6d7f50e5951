/** The lines above the picture: the counts, what is not known, and what a quick fix would do. */

import type { FixPreview, GraphDocument, Place } from "../document";
import { html } from "./dom";
import { atMost, counted } from "./words";

export interface SummaryActions {
  reveal: (place: Place) => void;
  /** Makes the longest chain stand out, or not. */
  chain: () => void;
}

export function summaryRow({ summary, critical, unknown, exact }: GraphDocument, actions: SummaryActions): HTMLElement[] {
  const known = [counted(summary.tasks, "task"), counted(summary.edges, "edge")].filter((part) => part !== undefined);
  const found: HTMLElement[] = known.length ? [html("span", {}, known.join(" · "))] : [];
  if (critical.path.length > 1) {
    const title = "Show the longest chain. Every task counts one: this is a depth, not a time. The width is how many tasks can run side by side.";
    const link = html("button", { class: "link chain", title }, atMost(critical.text) || "longest chain");
    link.addEventListener("click", actions.chain);
    found.push(link);
  }
  if (!exact) {
    const title = "A loop of unknown length is followed for two iterations, which stand for all. Of a condition that is not known both arms are followed.";
    found.push(html("span", { class: "note", title }, "loops stand for all their iterations"));
  }
  for (const each of unknown) {
    const link = html("button", { class: "link unknown", title: "Show in the editor" }, `? ${each.why}`);
    link.addEventListener("click", () => actions.reveal(each));
    found.push(link);
  }
  return found;
}

export function previewNotice({ title, text }: FixPreview, leave: () => void): HTMLElement[] {
  const back = html("button", {}, "Back");
  back.addEventListener("click", leave);
  return [html("span", {}, html("strong", {}, title), ` would do: ${atMost(text)}`), back];
}
