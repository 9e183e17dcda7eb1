// Draws the still pictures of all example models for the documentation: docs/figures/models/NAME.png.
//
//   npm run stills           all examples; needs the program `cardan` and Debian's chromium, takes minutes
//   npm run stills NAME...   some of them
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { start } from "../tests/browser.mjs";
import { cardan } from "../tests/program.mjs";

/** Where in the motion a model looks like what it is, if not at 43 %. */
const FRACTIONS = { bend_45: 1, princeton: 0.1, rollup: 0.5, lateral_buckling: 0.75, membrane: 0.55, clamped_bar: 0.6, bouncing_ball: 0.12, flying_spaghetti: 0.6, spin_up: 0.3 };
const MAX_BYTES = 60_000;

const pictures = fileURLToPath(new URL("../../docs/figures/models", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "cardan-stills-"));
const { code, text } = await cardan("gallery", ...process.argv.slice(2), "-o", folder);
if (code !== 0) throw new Error(text);
mkdirSync(pictures, { recursive: true });
const { context, close } = await start();
let failed = false;
try {
  const page = await context.newPage();
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.setViewportSize({ width: 480, height: 400 });
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".html") && name !== "index.html").sort()) {
    const name = basename(file, ".html");
    await page.goto(pathToFileURL(join(folder, file)).href);
    await page.waitForFunction(() => window.cardan !== undefined, undefined, { timeout: 30_000 });
    await page.evaluate((fraction) => {
      const { viewer } = window.cardan;
      const [{ start, end }] = viewer.motions;
      // lines that fade make files large
      viewer.stage.toggleGrid();
      window.cardan.seek(start + fraction * (end - start));
      window.cardan.draw();
    }, FRACTIONS[name] ?? 0.43);
    const out = join(pictures, `${name}.png`);
    await page.locator(".picture").screenshot({ path: out });
    const bytes = statSync(out).size;
    console.log(`${out}: ${bytes} bytes`);
    failed ||= bytes > MAX_BYTES;
  }
} finally {
  await close();
  rmSync(folder, { recursive: true, force: true });
}
if (failed) {
  console.error(`a picture is larger than ${MAX_BYTES} bytes`);
  process.exit(1);
}
