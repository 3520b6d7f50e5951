/** The picture as a file of its own: the styles of the page become attributes. */

import type { Layout } from "./layout";

const COPIED = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "opacity", "font-size", "font-weight", "font-style", "display"];

export function asFile(surface: SVGSVGElement, content: SVGGElement, layout: Layout, name: string): string {
  const copy = surface.cloneNode(true) as SVGSVGElement;
  const [originals, copies] = [surface, copy].map((root) => [...root.querySelectorAll("*")]);
  originals.forEach((original, number) => {
    const style = getComputedStyle(original);
    for (const property of COPIED) {
      const value = style.getPropertyValue(property);
      if (value) {
        copies[number].setAttribute(property, value);
      }
    }
  });
  // Nothing that cannot be seen, and nothing that only matters on the page.
  for (const element of copy.querySelectorAll(".grip, [display=none]")) {
    element.remove();
  }
  for (const element of copy.querySelectorAll("*")) {
    for (const attribute of ["class", "tabindex", "role", "aria-label", "aria-expanded", "data-id", "data-key", "data-from", "data-to", "data-label", "data-name"]) {
      element.removeAttribute(attribute);
    }
  }
  copy.querySelector(`:scope > g`)?.removeAttribute("transform");
  copy.removeAttribute("class");
  const [width, height] = [Math.ceil(layout.width), Math.ceil(layout.height)];
  const attributes = { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}`, "font-family": "Helvetica, Arial, sans-serif" };
  for (const [key, value] of Object.entries(attributes)) {
    copy.setAttribute(key, String(value));
  }
  copy.style.background = getComputedStyle(document.body).backgroundColor;
  copy.setAttribute("aria-label", `Task graph of ${name}`);
  return `${copy.outerHTML}\n`;
}
