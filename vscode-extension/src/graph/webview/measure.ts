import type { Measure } from "./layout";

/** Fonts as in media/graph.css. */
const FONTS = { name: "600 12px ", small: "10.5px " };

export function createMeasure(): Measure {
  const context = document.createElement("canvas").getContext("2d")!;
  const family = getComputedStyle(document.body).fontFamily || "sans-serif";
  return (text, font) => {
    context.font = FONTS[font] + family;
    return context.measureText(text).width;
  };
}
