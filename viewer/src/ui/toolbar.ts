import { BEAM_QUANTITIES } from "../scene/beams";
import { VIEWS, type View } from "../scene/stage";
import type { Viewer } from "../viewer";
import { button, choice, element, name, toggle } from "./dom";
import { icon } from "./icons";

/** The title of the document and the tools above the picture. */
export function toolbar(viewer: Viewer): HTMLElement {
  const tools = element("div", { class: "tools", role: "toolbar", "aria-label": "Tools" });
  const scene = viewer.data.scene;
  if (viewer.motions.length > 1) {
    tools.append(choice(viewer.data.modes.length > 0 ? "Mode shape" : "Run", viewer.motions.map((m, i) => [String(i), m.name]), "0", (v) => viewer.choose(Number(v))));
    if (viewer.data.modes.length === 0) tools.append(toggle("Overlay", "Show another run, translucent", true, (on) => viewer.showOverlay(on)));
  }
  const quantities = BEAM_QUANTITIES.filter((q) => scene.beams.some((b) => b[q.scalar] !== undefined));
  if (quantities.length > 0) tools.append(choice("Colour of beams", [["", "Beams: plain"], ...quantities.map((q): [string, string] => [q.key, q.label])], "", (v) => viewer.colorBeams(v)));
  const views = choice("View", [["", "View"], ...VIEWS.map((v): [string, string] => [v, v])], "", (v) => { if (v) viewer.stage.view(v as View); views.value = ""; });
  tools.append(views, button("Fit", "Fit everything into the picture (f)", () => viewer.stage.fit()));
  const channels = viewer.data.runs[0].channels;
  if (channels.some((c) => c.name.startsWith("energy."))) tools.append(button("Energy", "Plot the energies (e)", () => viewer.plotGroup("energy", "energy.")));
  if (channels.some((c) => c.name.startsWith("residual."))) tools.append(button("Residual", "Plot the constraint residuals (c)", () => viewer.plotGroup("residual", "residual.")));
  if (scene.joints.some((j) => j.reaction !== undefined)) tools.append(viewer.reactionButton);
  tools.append(
    button("Parts", "Parts and channels (p)", () => viewer.togglePanel()),
    button("PNG", "Save the picture (s)", () => void viewer.savePicture()),
  );
  if (viewer.data.modes.length > 0 || viewer.data.runs[0].times.length > 1) {
    tools.append(button("WebM", "Play once and save a video", () => void viewer.saveVideo()));
  }
  tools.append(button(icon("theme"), "Light or dark (d)", () => viewer.toggleTheme()), button("?", "Help (?)", () => viewer.help.showModal()));
  return element("header", { class: "top" }, element("h1", {}, name(viewer.data.title)), tools);
}
