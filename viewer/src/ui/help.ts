import { button, element } from "./dom";

/** Keys and what they do: the help panel and the manual follow from this list. */
export const KEYS: [string, string][] = [
  ["Space", "play, pause"],
  [", .", "one stored frame back, on"],
  ["← →", "back, on by 1 % of the motion"],
  ["Home End", "to the start, to the end"],
  ["− +", "slower, faster"],
  ["l", "repeat"],
  ["f", "fit everything into the picture"],
  ["1 … 7", "views: front, back, left, right, top, bottom, oblique"],
  ["o", "follow the chosen part"],
  ["t", "trail of the chosen part"],
  ["r", "reaction forces"],
  ["e", "energies"],
  ["c", "constraint residuals"],
  ["g", "grid and axes"],
  ["p", "parts and channels"],
  ["d", "light, dark"],
  ["s", "save the picture (PNG)"],
  ["Esc", "no part chosen; close this panel"],
  ["?", "this panel"],
];

export function help(): HTMLDialogElement {
  const table = element("dl");
  for (const [key, what] of KEYS) table.append(element("dt", {}, ...key.split(" ").map((k) => element("kbd", {}, k))), element("dd", {}, what));
  const dialog = element("dialog", { class: "help", "aria-label": "Help" });
  dialog.append(
    element("header", {}, element("h2", {}, "Keys"), button("×", "Close help", () => dialog.close())),
    table,
    element("p", { class: "hint" }, "Drag to turn, drag with the right button or two fingers to move, wheel or pinch to zoom, click a part to choose it. Drag in a plot to change the time."),
  );
  return dialog;
}
