/** Zoom and pan. */

import type { Layout, Point, Rectangle } from "./layout";

const LEAST = 0.08;
const MOST = 4;
/** Below this the names cannot be read, so a large graph is entered at its beginning instead. */
const READABLE = 0.8;

export class Viewport {
  private scale = 1;
  private x = 0;
  private y = 0;

  constructor(
    private readonly surface: SVGSVGElement,
    private readonly content: SVGGElement,
  ) {
    surface.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    surface.addEventListener("pointerdown", (event) => this.grab(event));
  }

  /** All of it, however small. */
  fit(layout: Layout): void {
    this.scale = Math.min(this.whole(layout), 1.2);
    this.x = (this.surface.clientWidth - layout.width * this.scale) / 2;
    this.y = (this.surface.clientHeight - layout.height * this.scale) / 2;
    this.apply();
  }

  /** As much of it as can be read, from its beginning, which is where `first` is. */
  enter(layout: Layout, first: Rectangle | undefined): void {
    if (this.whole(layout) >= READABLE) {
      this.fit(layout);
      return;
    }
    const along = (extent: number, available: number, middle: number): number => {
      const spare = available - extent * READABLE;
      return spare >= 0 ? spare / 2 : Math.max(spare, Math.min(0, available / 2 - middle * READABLE));
    };
    const { x, y, width, height } = first ?? { x: 0, y: 0, width: 0, height: 0 };
    this.scale = READABLE;
    this.x = along(layout.width, this.surface.clientWidth, x + width / 2);
    this.y = along(layout.height, this.surface.clientHeight, y + height / 2);
    this.apply();
  }

  zoom(factor: number, around?: Point): void {
    const centre = around ?? { x: this.surface.clientWidth / 2, y: this.surface.clientHeight / 2 };
    const scale = Math.min(MOST, Math.max(LEAST, this.scale * factor));
    this.x = centre.x - ((centre.x - this.x) * scale) / this.scale;
    this.y = centre.y - ((centre.y - this.y) * scale) / this.scale;
    this.scale = scale;
    this.apply();
  }

  /** Moves as little as needed for the rectangle to be seen. */
  show({ x, y, width, height }: Rectangle): void {
    const margin = 24;
    this.x = nearest(this.x, margin - x * this.scale, this.surface.clientWidth - margin - (x + width) * this.scale);
    this.y = nearest(this.y, margin - y * this.scale, this.surface.clientHeight - margin - (y + height) * this.scale);
    this.apply();
  }

  /** After a new layout: what was at `before` and is at `after` now stays where it is on the screen. */
  keep(before: Rectangle, after: Rectangle): void {
    this.x += (before.x - after.x) * this.scale;
    this.y += (before.y - after.y) * this.scale;
    this.apply();
  }

  private whole(layout: Layout): number {
    return Math.min(this.surface.clientWidth / layout.width, this.surface.clientHeight / layout.height);
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    if (event.shiftKey || event.deltaX !== 0) {
      this.x -= event.deltaX + (event.shiftKey ? event.deltaY : 0);
      this.y -= event.shiftKey ? 0 : event.deltaY;
      this.apply();
      return;
    }
    const { left, top } = this.surface.getBoundingClientRect();
    this.zoom(Math.exp(-event.deltaY / 400), { x: event.clientX - left, y: event.clientY - top });
  }

  private grab(start: PointerEvent): void {
    if (start.button > 1 || (start.target as Element).closest("[data-id]:not(.frame)")) {
      return;
    }
    const [x, y] = [this.x - start.clientX, this.y - start.clientY];
    const move = (event: PointerEvent): void => {
      this.surface.classList.add("grabbed");
      this.x = x + event.clientX;
      this.y = y + event.clientY;
      this.apply();
    };
    const drop = (): void => {
      this.surface.classList.remove("grabbed");
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", drop);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", drop);
  }

  private apply(): void {
    this.content.setAttribute("transform", `translate(${this.x} ${this.y}) scale(${this.scale})`);
  }
}

/** `value`, or the nearest to it between the two limits; the low one wins when both cannot be had. */
function nearest(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}
