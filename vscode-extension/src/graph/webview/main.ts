import type { FromPage, ToPage } from "../messages";
import { warmUp } from "./layout";
import { View, type Saved } from "./view";

declare function acquireVsCodeApi(): { postMessage(message: FromPage): void; getState(): Saved | undefined; setState(state: Saved): void };

const editor = acquireVsCodeApi();
const view = new View(
  (message) => editor.postMessage(message),
  (state) => editor.setState(state),
  editor.getState(),
);

window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => {
  switch (data.type) {
    case "graph":
      return view.show(data.functions, data.selected, { graph: data.graph, alerts: data.alerts, note: data.note });
    case "preview":
      return view.showPreview(data.preview);
    case "outdated":
      return view.outdated(data.why);
    case "select":
      return view.followEditor(data.nodes);
  }
});

editor.postMessage({ type: "ready" });
warmUp();
