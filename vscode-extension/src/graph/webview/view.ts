/** The page: the graph that is shown, what is selected in it, and how it reacts. */

import { Latest } from "../../latest";
import type { FixPreview, GraphDocument, Place } from "../document";
import type { FromPage } from "../messages";
import { placeOf } from "../places";
import { boxesIn, findByKey, isBox, isMark, items, keyOfId, nodeKeys, type Child, type Item } from "./boxes";
import { arrowDetail, boxDetail, markDetail, nodeDetail } from "./detail";
import { html, keyOf, svg } from "./dom";
import { definitions, draw } from "./draw";
import { layout, type Layout } from "./layout";
import { createMeasure } from "./measure";
import { neighbour, type Direction } from "./neighbours";
import { arrowsAt, picture, type Options, type Picture } from "./picture";
import { previewNotice, summaryRow } from "./summary";
import { asFile } from "./svgfile";
import { Toolbar, type Switches } from "./toolbar";
import { Viewport } from "./viewport";

export interface Shown {
  graph: GraphDocument;
  alerts: Record<string, string[]>;
  /** Why it is not the view that was asked for. */
  note?: string;
}

export interface Saved extends Switches {
  collapsed: string[];
}

const DEFAULTS: Switches = { labels: undefined, mode: "reduced", owners: false, claims: false, chain: false, down: false };

const DIRECTIONS: Record<string, Direction> = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };

/** What the server draws at most. */
const MOST_TASKS = 500;

/** With more arrows than this, labels everywhere cost more room than they are worth, unless asked for. */
const LABELLED = 16;

export class View {
  private readonly surface = svg("svg", { class: "graph", role: "group", "aria-label": "Task graph" });
  private readonly content = svg("g");
  private readonly detail = html("footer", {});
  private readonly notice = html("div", { class: "notice", role: "status" });
  private readonly summary = html("div", { class: "summary" });
  private readonly viewport: Viewport;
  private readonly toolbar: Toolbar;
  private readonly measure = createMeasure();
  private readonly latest = new Latest(() => this.render());
  private readonly collapsed: Set<string>;
  private readonly switches: Switches;
  private shown: Shown | undefined;
  private picture: Picture | undefined;
  private places: Layout | undefined;
  /** Key of the selected item or box, or identifier of an arrow. */
  private selected: string | undefined;
  private hits: string[] = [];
  private preview: FixPreview | undefined;

  constructor(
    private readonly send: (message: FromPage) => void,
    private readonly save: (state: Saved) => void,
    saved: Saved | undefined,
  ) {
    this.switches = { ...DEFAULTS, ...saved };
    this.collapsed = new Set(saved?.collapsed);
    this.toolbar = new Toolbar(
      {
        choose: (name) => this.choose(name),
        search: (text) => this.search(text),
        showAs: (view) => this.send({ type: "view", view }),
        searchNext: (backwards) => this.searchNext(backwards),
        leaveSearch: () => this.element(this.selected)?.focus(),
        fit: () => this.places && this.viewport.fit(this.places),
        zoom: (factor) => this.viewport.zoom(factor),
        toggle: (change) => this.toggle(change),
        closeBoxes: (closed) => this.closeBoxes(closed),
        export: (format) =>
          this.send({ type: "export", format, text: format === "svg" ? this.asSvg() : undefined }),
      },
      this.switches,
    );
    this.surface.append(definitions(), this.content);
    document.body.append(this.toolbar.element, this.summary, this.notice, this.surface, this.detail);
    this.viewport = new Viewport(this.surface, this.content);
    this.surface.addEventListener("click", (event) => this.click(event));
    this.surface.addEventListener("dblclick", (event) => this.open(keyOf(event.target)));
    this.surface.addEventListener("focusin", (event) => this.focused(event));
    document.addEventListener("keydown", (event) => this.key(event));
  }

  show(functions: readonly string[], selected: string, shown: Shown): void {
    this.toolbar.show(functions, selected);
    const first = this.shown?.graph.function !== shown.graph.function || this.shown.graph.view !== shown.graph.view;
    this.shown = shown;
    this.preview = undefined;
    this.notice.textContent = shown.note ? `Shown by launches: ${shown.note}.` : "";
    this.toolbar.showView(shown.graph.view);
    if (first) {
      this.places = undefined;
    }
    void this.latest.request();
  }

  showPreview(preview: FixPreview | undefined): void {
    this.preview = preview;
    if (!preview) {
      this.notice.textContent = "There is no quick fix that changes the graph.";
      return;
    }
    this.notice.replaceChildren(...previewNotice(preview, () => this.leavePreview()));
    void this.latest.request();
  }

  private leavePreview(): void {
    this.preview = undefined;
    this.notice.replaceChildren();
    void this.latest.request();
  }

  outdated(why: string): void {
    this.notice.textContent = this.shown ? `Not up to date: ${why}` : why;
  }

  /** The cursor of the editor is in these launches. */
  followEditor(ids: readonly string[]): void {
    if (!this.shown) {
      return;
    }
    // The picture of the newest graph may not be drawn yet.
    const all = nodeKeys(this.shown.graph);
    const keys = this.shown.graph.nodes.flatMap(({ id }, number) => (ids.includes(id) ? [all[number]] : []));
    if (keys.length && !keys.includes(this.selected ?? "")) {
      this.select(keys[0]);
    }
  }

  private async render(): Promise<void> {
    if (!this.shown) {
      return;
    }
    const { graph, alerts } = this.shown;
    const next = picture(graph, this.options());
    const labels = this.switches.labels ?? next.arrows.length <= LABELLED;
    this.toolbar.showLabels(labels);
    const places = await layout(next, alerts, { labels, direction: this.switches.down ? "down" : "right" }, this.measure);
    const anchor = this.selected ?? this.anyKey();
    const before = this.places && anchor !== undefined ? this.placeOfKey(anchor) : undefined;
    const first = this.places === undefined;
    this.picture = next;
    this.places = places;
    const focus = this.surface.contains(document.activeElement) ? keyOf(document.activeElement) : undefined;
    this.content.replaceChildren(...draw(next, places, labels, alerts, new Set(graph.critical.path)));
    this.surface.classList.toggle("show-chain", this.switches.chain);
    const after = anchor !== undefined ? this.placeOfKey(anchor) : undefined;
    if (first) {
      this.viewport.enter(places, after);
    } else if (before && after) {
      this.viewport.keep(before, after);
    }
    this.toolbar.showChain(this.switches.chain);
    this.summary.replaceChildren(
      ...summaryRow(graph, { reveal: (place) => this.send({ type: "reveal", place, focus: true }), chain: () => this.toggle({ chain: !this.switches.chain }) }),
    );
    this.mark(first);
    if (focus !== undefined) {
      this.element(focus)?.focus({ preventScroll: true });
    }
    this.surface.dataset.ready = String(Number(this.surface.dataset.ready ?? 0) + 1);
  }

  private options(): Options {
    return { ...this.switches, collapsed: this.collapsed, preview: this.preview };
  }

  private choose(name: string): void {
    this.selected = undefined;
    this.send({ type: "function", name });
  }

  private toggle(change: Partial<Switches>): void {
    Object.assign(this.switches, change);
    if (change.down !== undefined) {
      // Nothing stays where it was.
      this.places = undefined;
    }
    this.changed();
  }

  private closeBoxes(closed: boolean): void {
    this.collapsed.clear();
    if (closed && this.picture) {
      boxesIn(this.picture.root).forEach(({ key }) => this.collapsed.add(key));
    }
    this.changed();
  }

  private toggleBox(key: string): void {
    if (!this.collapsed.delete(key)) {
      this.collapsed.add(key);
    }
    this.selected = key;
    this.changed();
  }

  private changed(): void {
    this.save({ ...this.switches, collapsed: [...this.collapsed] });
    void this.latest.request();
  }

  // Selection.

  private select(key: string | undefined): void {
    this.selected = key;
    this.mark(true);
  }

  /** Shows what is selected: the node, its lines, its peers and what is known of it. */
  private mark(moveThere: boolean): void {
    if (!this.picture || !this.shown || !this.places) {
      return;
    }
    const { graph, alerts } = this.shown;
    const target = this.find(this.selected);
    const arrow = this.picture.arrows.find(({ id }) => id === this.selected);
    const id = target && (this.picture.standsFor.get(target.id) ?? target.id);
    const near = arrow ? [arrow] : this.picture.arrows.filter(({ from, to }) => id !== undefined && (from === id || to === id));
    const known = target && target.id !== id ? arrowsAt(graph, this.options(), target.id) : near;
    const peers = new Set(near.flatMap(({ from, to }) => [from, to]));
    const chosen = new Set(near.map((each) => each.id));
    this.surface.classList.toggle("has-selection", near.length > 0);
    for (const element of this.content.querySelectorAll("[data-id]")) {
      const own = element.getAttribute("data-id")!;
      element.classList.toggle("selected", own === id || own === arrow?.id);
      element.classList.toggle("near", chosen.has(own) || (peers.has(own) && own !== id));
    }
    const links = { reveal: (place: Place) => this.send({ type: "reveal", place, focus: true }), select: (peer: string) => this.select(this.keyOfId(peer)), preview: graph.view === "launches" ? (node: string, number: number) => this.send({ type: "preview", node, number }) : undefined };
    if (arrow) {
      this.detail.replaceChildren(arrowDetail(graph, arrow, links));
    } else if (target && isBox(target)) {
      this.detail.replaceChildren(boxDetail(target, links));
    } else if (target && isMark(target)) {
      this.detail.replaceChildren(markDetail(graph, target, known, links));
    } else if (target) {
      this.detail.replaceChildren(nodeDetail(graph, target.node, known, alerts[target.id] ?? [], links));
    } else {
      this.detail.replaceChildren(html("p", { class: "none" }, "Select a task to see what it waits for and why."));
    }
    const place = id === undefined ? undefined : this.places.places.get(id);
    if (moveThere && place) {
      this.viewport.show(place);
    }
  }

  private reveal(key: string | undefined, focus: boolean): void {
    const target = this.find(key);
    const place = target === undefined ? undefined : isBox(target) ? target.group : isMark(target) ? target.place : placeOf(target.node);
    if (place) {
      this.send({ type: "reveal", place, focus });
    }
  }

  private click(event: Event): void {
    const target = event.target as Element;
    const arrow = target.closest(".arrow, .label");
    if (arrow) {
      this.select(arrow.getAttribute("data-id") ?? undefined);
      return;
    }
    const key = keyOf(target);
    const found = this.find(key);
    if (found && isMark(found) && found.mark === "more") {
      this.send({ type: "view", view: "unrolled", tasks: MOST_TASKS });
      return;
    }
    if (found && isBox(found)) {
      if (found.closed || target.closest(".title")) {
        this.toggleBox(found.key);
      } else {
        this.select(undefined);
      }
      return;
    }
    this.select(key);
    this.reveal(key, false);
  }

  /** Enter and double click: to the text, or into a box. */
  private open(key: string | undefined): void {
    const found = this.find(key);
    if (found && !isBox(found)) {
      this.reveal(key, true);
    }
  }

  /** The Tab key came here, or a click. */
  private focused(event: Event): void {
    const key = keyOf(event.target);
    if (key !== undefined && key !== this.selected) {
      this.select(key);
    }
  }

  private key(event: KeyboardEvent): void {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if ((event.key === "f" && (event.ctrlKey || event.metaKey)) || (event.key === "/" && !typing)) {
      this.toolbar.focusSearch();
      event.preventDefault();
      return;
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const inGraph = this.surface.contains(document.activeElement) || document.activeElement === document.body;
    if (event.key in DIRECTIONS && inGraph) {
      this.move(DIRECTIONS[event.key]);
    } else if ((event.key === "Enter" || event.key === " ") && inGraph) {
      const found = this.find(this.selected);
      if (found && isBox(found)) {
        this.toggleBox(found.key);
      } else {
        this.reveal(this.selected, event.key === "Enter");
      }
    } else if (event.key === "Escape") {
      this.select(undefined);
    } else if (event.key === "+" || event.key === "=") {
      this.viewport.zoom(1.25);
    } else if (event.key === "-") {
      this.viewport.zoom(1 / 1.25);
    } else if (event.key === "0" && this.places) {
      this.viewport.fit(this.places);
    } else {
      return;
    }
    event.preventDefault();
  }

  private move(direction: Direction): void {
    if (!this.picture || !this.places) {
      return;
    }
    const nodes = [...this.content.querySelectorAll(".nodes > [data-id]")].map((element) => element.getAttribute("data-id")!);
    const here = this.find(this.selected)?.id ?? "";
    const next = neighbour(here, direction, this.picture.arrows, nodes, this.places);
    const key = next === undefined ? undefined : this.keyOfId(next);
    if (key !== undefined) {
      this.select(key);
      this.element(key)?.focus({ preventScroll: true });
      this.reveal(key, false);
    }
  }

  // Search.

  private search(text: string): void {
    const wanted = text.trim().toLowerCase();
    this.hits = wanted ? this.allItems().filter(({ node }) => node.name.toLowerCase().includes(wanted)).map(({ key }) => key) : [];
    for (const element of this.content.querySelectorAll(".node")) {
      element.classList.toggle("hit", this.hits.includes(element.getAttribute("data-key") ?? ""));
    }
    this.toolbar.showFound(wanted ? (this.hits.length ? `${this.hits.length} found` : "none") : "");
    if (this.hits.length) {
      this.select(this.hits[0]);
    }
  }

  private searchNext(backwards: boolean): void {
    if (this.hits.length) {
      const at = this.hits.indexOf(this.selected ?? "");
      const next = (at + (backwards ? -1 : 1) + this.hits.length) % this.hits.length;
      this.toolbar.showFound(`${next + 1} of ${this.hits.length}`);
      this.select(this.hits[next]);
      this.reveal(this.selected, false);
    }
  }

  private asSvg(): string | undefined {
    return this.places && this.shown && asFile(this.surface, this.content, this.places, this.shown.graph.function);
  }

  // Looking things up.

  private find(key: string | undefined): Child | undefined {
    return this.picture && key !== undefined ? findByKey(this.picture.root, key) : undefined;
  }

  private allItems(): Item[] {
    return this.picture ? items(this.picture.root) : [];
  }

  private keyOfId(id: string): string | undefined {
    return this.picture && keyOfId(this.picture.root, id);
  }

  private anyKey(): string | undefined {
    return this.allItems()[0]?.key;
  }

  private placeOfKey(key: string): Layout["places"] extends Map<string, infer R> ? R | undefined : never {
    const found = this.find(key);
    return found && this.places?.places.get(found.id);
  }

  private element(key: string | undefined): SVGGElement | undefined {
    return [...this.content.querySelectorAll<SVGGElement>("[data-key]")].find((each) => each.getAttribute("data-key") === key);
  }
}
