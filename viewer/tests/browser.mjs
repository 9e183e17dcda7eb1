// Debian's Chromium without a network, and pages with data in it.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const PLACE = '<script type="application/json" id="cardan-data">null</script>';
const template = new URL("../../crates/cardan-lab/viewer/cardan-viewer.html", import.meta.url);
const PROGRAM = "/usr/bin/chromium";

/** Starts the browser with a new, empty folder for its data. `close` ends it and removes the folder. */
export async function start() {
  const folder = mkdtempSync(join(tmpdir(), "cardan-viewer-"));
  const root = process.getuid?.() === 0;
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: PROGRAM, headless: true, offline: true, acceptDownloads: true, viewport: { width: 1280, height: 800 },
    args: [
      ...(root ? ["--no-sandbox"] : []), "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
      "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    ],
  });
  const close = async () => {
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { context, close };
}

/** The page with a document in it, as the program writes it. */
export function html(data) {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  const page = readFileSync(template, "utf8");
  const at = page.indexOf(PLACE);
  return page.slice(0, at) + PLACE.replace("null", () => text.replaceAll("<", "\\u003c")) + page.slice(at + PLACE.length);
}

/** The document of a page, as text. */
export function documentOf(page) {
  const open = PLACE.slice(0, PLACE.indexOf("null"));
  const from = page.indexOf(open) + open.length;
  return page.slice(from, page.indexOf("</script>", from));
}
