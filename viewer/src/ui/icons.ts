/** Signs of the buttons of time, as outlines: not every computer has letters for them. */
const OUTLINES = {
  play: "M4 2.5v11l9-5.5z",
  pause: "M3.5 2.5h3.2v11H3.5zM9.3 2.5h3.2v11H9.3z",
  start: "M3 2.5h2v11H3zM13.5 2.5v11L5.5 8z",
  back: "M11.5 2.5v11L3.5 8zM12.5 2.5h1.6v11h-1.6z",
  on: "M4.5 2.5v11l8-5.5zM1.9 2.5h1.6v11H1.9z",
  loop: "M8 2.6a5.4 5.4 0 0 1 4.6 2.6V2.9h1.7v5.2H9.1V6.4h2.2A3.7 3.7 0 1 0 11.6 9h1.8A5.4 5.4 0 1 1 8 2.6z",
  theme: "M8 1.5a6.5 6.5 0 1 0 0 13a6.5 6.5 0 1 0 0-13zM8 3v10a5 5 0 0 1 0-10z",
};

export type Icon = keyof typeof OUTLINES;

/** An icon of 16 × 16 points in the colour of the text. */
export function icon(name: Icon): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 16 16", width: "16", height: "16", "aria-hidden": "true", fill: "currentColor", "fill-rule": "evenodd" })) svg.setAttribute(key, value);
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", OUTLINES[name]);
  svg.append(path);
  return svg;
}
