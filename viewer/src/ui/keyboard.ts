import { VIEWS } from "../scene/stage";
import type { Viewer } from "../viewer";

/** Keys, as the help panel lists them (help.ts). */
export function keyboard(viewer: Viewer): void {
  const { player, stage } = viewer;
  const nudge = (s: number) => { player.playing = false; viewer.seek(player.time + s * player.duration); };
  const acts: Record<string, () => void> = {
    " ": () => player.toggle(), k: () => player.toggle(),
    ",": () => player.step(-1), ".": () => player.step(1),
    ArrowLeft: () => nudge(-0.01), ArrowRight: () => nudge(0.01),
    Home: () => player.seek(-Number.MAX_VALUE), End: () => player.seek(Number.MAX_VALUE),
    "-": () => viewer.transport.faster(-1), "+": () => viewer.transport.faster(1), "=": () => viewer.transport.faster(1),
    l: () => viewer.transport.toggleLoop(), f: () => stage.fit(),
    o: () => viewer.follow(viewer.selected), t: () => viewer.toggleTrail(), r: () => viewer.toggleReactions(),
    e: () => viewer.plotGroup("energy", "energy."), c: () => viewer.plotGroup("residual", "residual."),
    g: () => stage.toggleGrid(), p: () => viewer.togglePanel(), d: () => viewer.toggleTheme(),
    s: () => void viewer.savePicture(),
    Escape: () => viewer.select(-1), "?": () => viewer.help.showModal(),
  };
  VIEWS.forEach((view, i) => { acts[String(i + 1)] = () => stage.view(view); });
  addEventListener("keydown", (e) => {
    const on = e.target as HTMLElement;
    if (e.ctrlKey || e.metaKey || e.altKey || viewer.help.open) return;
    if (on instanceof HTMLSelectElement || (on instanceof HTMLInputElement && (on.type === "search" || e.key.startsWith("Arrow") || e.key === "Home" || e.key === "End"))) return;
    if (on instanceof HTMLButtonElement && (e.key === " " || e.key === "Enter")) return;
    const act = Object.hasOwn(acts, e.key) ? acts[e.key] : undefined;
    if (!act) return;
    e.preventDefault();
    act();
    viewer.refresh();
  });
}
