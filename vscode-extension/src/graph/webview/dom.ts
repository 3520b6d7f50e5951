/** Elements, without markup in strings: nothing of a program's text can become part of the page. */

type Attributes = Record<string, string | number | undefined>;
type Child = Node | string;

export function html<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  return filled(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled<T extends Element>(element: T, attributes: Attributes, children: Child[]): T {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) {
      element.setAttribute(name, String(value));
    }
  }
  element.append(...children);
  return element;
}

/** Of what is drawn around an element. */
export function keyOf(target: EventTarget | null): string | undefined {
  return (target as Element | null)?.closest("[data-key]")?.getAttribute("data-key") ?? undefined;
}
