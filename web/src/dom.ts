type Child = Node | string | null | undefined | false;
type Attributes = Readonly<Record<string, string | number | boolean | undefined | ((event: Event) => void)>>;

/**
 * Makes an element. A function is a listener for the event of its name; text is text, never markup.
 */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  element.append(...present(children));
  return element;
}

export function replace(element: Element, ...children: readonly Child[]): void {
  element.replaceChildren(...present(children));
}

function present(children: readonly Child[]): (Node | string)[] {
  return children.filter((child) => child !== null && child !== undefined && child !== false);
}

/** Announces a text to screen readers. */
export function announce(text: string): void {
  const region = document.getElementById('announcements');
  if (region) region.textContent = text;
}
