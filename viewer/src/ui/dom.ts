/** Elements of the page. Text is always textContent: names of a model stay text. */
type Attributes = Record<string, string | boolean | undefined>;

export function element<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) e.setAttribute(name, "");
    else if (typeof value === "string") e.setAttribute(name, value);
  }
  e.append(...children);
  return e;
}

/** A button with a label for people who do not see its sign. */
export function button(sign: string | Node, label: string, act: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const b = element("button", { type: "button", "aria-label": label, title: label, ...attributes }, sign);
  b.addEventListener("click", act);
  return b;
}

/** A button that is on or off. */
export function toggle(sign: string | Node, label: string, on: boolean, act: (on: boolean) => void): HTMLButtonElement {
  const b = button(sign, label, () => {
    const now = b.getAttribute("aria-pressed") !== "true";
    b.setAttribute("aria-pressed", String(now));
    act(now);
  });
  b.setAttribute("aria-pressed", String(on));
  return b;
}

/** A name that fits a line: the middle of long names is left out; direction marks do not leak. */
export function name(text: string): HTMLElement {
  const shown = text.length > 80 ? `${text.slice(0, 50)} … ${text.slice(-20)}` : text;
  return element("bdi", { title: text.slice(0, 400) }, shown);
}

/** A choice from a list. */
export function choice(label: string, options: [string, string][], chosen: string, act: (value: string) => void): HTMLSelectElement {
  const s = element("select", { "aria-label": label, title: label });
  for (const [value, shown] of options) s.append(element("option", { value }, shown.length > 60 ? `${shown.slice(0, 60)}…` : shown));
  s.value = chosen;
  s.addEventListener("change", () => act(s.value));
  return s;
}
