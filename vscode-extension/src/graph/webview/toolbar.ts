/** The row above the picture. */

import { VIEWS, type GraphView } from "../document";
import { FORMATS, type Format } from "../messages";
import { html, svg } from "./dom";
import { crossed, KINDS } from "./draw";
import type { ArrowKind } from "./picture";
import { MODES, type Mode } from "./reduction";

export interface Switches {
  /** Undefined: as long as there is room. */
  labels: boolean | undefined;
  mode: Mode;
  owners: boolean;
  /** Opt-outs that are right. */
  claims: boolean;
  /** The longest chain stands out. */
  chain: boolean;
  /** Time runs downwards. */
  down: boolean;
}

type Box = "labels" | "owners" | "claims" | "chain";

export interface Actions {
  choose: (name: string) => void;
  showAs: (view: GraphView) => void;
  search: (text: string) => void;
  searchNext: (backwards: boolean) => void;
  leaveSearch: () => void;
  fit: () => void;
  zoom: (factor: number) => void;
  toggle: (change: Partial<Switches>) => void;
  closeBoxes: (closed: boolean) => void;
  export: (format: Format) => void;
}

const MEANING: Record<ArrowKind, string> = {
  raw: "RAW: reads what was written",
  waw: "WAW: writes again",
  war: "WAR: overwrites what was read",
  explicit: "deps=, written by hand",
  owner: "waits for the owner of a buffer",
  false: "✂ an order no data needs",
  missing: "a hazard without an order",
  guard: "decides a predicate",
  untracked: "opted out of tracking: not checkable",
  verified: "opted out of tracking: verified",
  added: "what a quick fix would bring",
};

export class Toolbar {
  readonly element: HTMLElement;
  private readonly functions = html("select", { "aria-label": "Function", title: "Function", class: "function" });
  private readonly found = html("span", { class: "found", "aria-live": "polite" });
  private readonly field = html("input", { type: "search", placeholder: "Find task", "aria-label": "Find task" });
  private readonly views = html("select", { "aria-label": "Loops", title: "How loops are shown" }, ...VIEWS.map((view) => html("option", { value: view }, VIEW_NAME[view])));
  private readonly modes = html("select", { id: "edge-mode" }, ...MODES.map((mode) => html("option", { value: mode, title: MODE_MEANING[mode] }, mode)));
  private readonly boxes: Record<Box, HTMLInputElement>;

  constructor(actions: Actions, switches: Switches) {
    this.functions.addEventListener("change", () => actions.choose(this.functions.value));
    this.field.addEventListener("input", () => actions.search(this.field.value));
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        actions.searchNext(event.shiftKey);
      } else if (event.key === "Escape") {
        this.field.value = "";
        actions.search("");
        actions.leaveSearch();
      } else {
        return;
      }
      event.preventDefault();
    });
    const box = (name: Box): HTMLInputElement => {
      const input = html("input", { type: "checkbox", id: `switch-${name}` });
      input.checked = switches[name] ?? false;
      input.addEventListener("change", () => actions.toggle({ [name]: input.checked }));
      return input;
    };
    this.boxes = { labels: box("labels"), owners: box("owners"), claims: box("claims"), chain: box("chain") };
    this.views.addEventListener("change", () => actions.showAs(this.views.value as GraphView));
    this.modes.value = switches.mode;
    this.modes.addEventListener("change", () => actions.toggle({ mode: this.modes.value as Mode }));
    const format = html("select", { "aria-label": "Export", title: "Export", class: "export" }, html("option", { value: "" }, "Export…"), ...FORMATS.map((each) => html("option", { value: each }, FORMAT_NAME[each])));
    format.addEventListener("change", () => {
      if (format.value) {
        actions.export(format.value as Format);
      }
      format.value = "";
    });
    this.element = html(
      "header",
      {},
      this.functions,
      this.views,
      this.field,
      this.found,
      html("span", { class: "space" }),
      button("−", "Zoom out (-)", () => actions.zoom(1 / 1.25)),
      button("+", "Zoom in (+)", () => actions.zoom(1.25)),
      button("⤵", "Turn: time to the right or downwards", () => actions.toggle({ down: (switches.down = !switches.down) })),
      button("Fit", "Show all of it (0)", actions.fit),
      button("⊟", "Close all boxes", () => actions.closeBoxes(true)),
      button("⊞", "Open all boxes", () => actions.closeBoxes(false)),
      this.legend(),
      format,
    );
  }

  show(functions: readonly string[], selected: string): void {
    this.functions.replaceChildren(...functions.map((name) => html("option", { value: name }, name)));
    this.functions.value = selected;
    this.functions.disabled = functions.length < 2;
  }

  showView(view: GraphView): void {
    this.views.value = view;
  }

  showLabels(shown: boolean): void {
    this.boxes.labels.checked = shown;
  }

  showChain(shown: boolean): void {
    this.boxes.chain.checked = shown;
  }

  showFound(text: string): void {
    this.found.textContent = text;
  }

  focusSearch(): void {
    this.field.focus();
    this.field.select();
  }

  private legend(): HTMLElement {
    const sample = (classes: string, kind: ArrowKind, hollow = false): Element => {
      const marker = `url(#head-${kind}${hollow ? "-carried" : ""})`;
      const line = svg("path", { d: "M5 7 L45 7", class: "line", "marker-end": marker, "marker-start": kind === "explicit" ? "url(#tail)" : undefined });
      return svg("svg", { width: 50, height: 14, "aria-hidden": "true" }, svg("g", { class: `arrow ${classes}` }, line, ...(kind === "verified" ? [crossed([{ x: 5, y: 7 }, { x: 45, y: 7 }])] : [])));
    };
    const row = (picture: Element, text: string): HTMLElement => html("li", {}, picture, text);
    const check = (name: Box, text: string): HTMLElement => html("li", {}, this.boxes[name], html("label", { for: `switch-${name}` }, text));
    return html(
      "details",
      { class: "legend" },
      html("summary", { title: "What the lines mean, and what is shown" }, "Legend"),
      html(
        "div",
        {},
        html("ul", {}, ...KINDS.map((kind) => row(sample(kind, kind), MEANING[kind])), row(sample("raw carried", "raw", true), "into a later iteration (i→i+1)"), row(sample("raw redundant", "raw"), "implied by other lines")),
        html("ul", {}, html("li", {}, "! finding · M manual scope · P predicate · ? condition · E early · … not fully known"), html("li", {}, "⟦n⟧ one task on n blocks · ×n launched n times"), html("li", {}, "thick bar: the control core waits, what follows is submitted later"), html("li", {}, "cloud, dots: not understood, or not all of it")),
        html("ul", {}, html("li", {}, html("label", { for: "edge-mode" }, "lines, as in deps_viewer:"), this.modes), check("labels", "labels on all lines"), check("owners", "lines from the owner of a buffer"), check("claims", "opt-outs that are verified"), check("chain", "the longest chain")),
      ),
    );
  }
}

const VIEW_NAME: Record<GraphView, string> = { launches: "Launches", iterations: "Two iterations", unrolled: "Unrolled" };

const MODE_MEANING: Record<Mode, string> = {
  full: "Every line",
  reduced: "Without those that others imply",
  omitted: "Only those that others imply",
  reduced_dataflow: "As reduced, and every line that alone brings a tensor to its reader",
  omitted_dataflow: "Only those that reduced_dataflow leaves out",
};

const FORMAT_NAME: Record<Format, string> = { svg: "SVG", dot: "DOT", mermaid: "Mermaid", json: "JSON" };

function button(text: string, title: string, act: () => void): HTMLButtonElement {
  const element = html("button", { title, "aria-label": title }, text);
  element.addEventListener("click", act);
  return element;
}
