/** Where an arrow key leads. */

import type { Layout, Rectangle } from "./layout";
import type { Arrow } from "./picture";

export type Direction = "left" | "right" | "up" | "down";

/** Right and left follow the lines; up and down, and where there is no line, go to the nearest node that way. */
export function neighbour(from: string, direction: Direction, arrows: readonly Arrow[], nodes: readonly string[], layout: Layout): string | undefined {
  const here = layout.places.get(from);
  if (!here) {
    return nodes[0];
  }
  if (direction === "right" || direction === "left") {
    const sign = direction === "right" ? 1 : -1;
    const linked = arrows
      .filter((arrow) => !arrow.carried && (direction === "right" ? arrow.from === from : arrow.to === from))
      .map((arrow) => (direction === "right" ? arrow.to : arrow.from))
      .filter((id) => id !== from && (centre(layout.places.get(id) ?? here).x - centre(here).x) * sign > 0);
    const next = nearest(linked, here, layout);
    if (next !== undefined) {
      return next;
    }
  }
  const beyond = nodes.filter((id) => {
    const place = layout.places.get(id);
    return id !== from && place !== undefined && isBeyond(here, place, direction);
  });
  return nearest(beyond, here, layout);
}

function isBeyond(here: Rectangle, there: Rectangle, direction: Direction): boolean {
  const [dx, dy] = [centre(there).x - centre(here).x, centre(there).y - centre(here).y];
  switch (direction) {
    case "right":
      return dx > 1 && dx >= Math.abs(dy);
    case "left":
      return dx < -1 && -dx >= Math.abs(dy);
    case "down":
      return dy > 1 && dy * 3 >= Math.abs(dx);
    case "up":
      return dy < -1 && -dy * 3 >= Math.abs(dx);
  }
}

function nearest(ids: readonly string[], here: Rectangle, layout: Layout): string | undefined {
  let best: { id: string; distance: number } | undefined;
  for (const id of ids) {
    const there = centre(layout.places.get(id) ?? here);
    const distance = Math.hypot(there.x - centre(here).x, there.y - centre(here).y);
    if (!best || distance < best.distance) {
      best = { id, distance };
    }
  }
  return best?.id;
}

function centre({ x, y, width, height }: Rectangle): { x: number; y: number } {
  return { x: x + width / 2, y: y + height / 2 };
}
