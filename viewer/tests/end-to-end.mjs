// Opens pages in Chromium as people do. `npm run end-to-end [WORD]` runs all checks, or those whose name contains WORD.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { start } from "./browser.mjs";
import { documentChecks } from "./checks-documents.mjs";
import { pageChecks } from "./checks-page.mjs";
import { programChecks } from "./checks-program.mjs";
import { Harness } from "./harness.mjs";

const wanted = process.argv[2] ?? "";
const folder = mkdtempSync(join(tmpdir(), "cardan-pages-"));
const pictures = fileURLToPath(new URL("../screenshots", import.meta.url));
const { context, close } = await start();
const harness = new Harness(context, folder, pictures);
harness.everything = wanted === "";
const all = [...pageChecks(harness), ...documentChecks(harness), ...programChecks(harness)].filter(([name]) => name.includes(wanted));
const started = Date.now();
try {
  for (const [name, act, options] of all) await harness.check(name, act, options);
} finally {
  await close();
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${all.length - harness.failures.length} of ${all.length} checks passed in ${Math.round((Date.now() - started) / 1000)} s; pictures in ${pictures}`);
if (harness.failures.length > 0 || all.length === 0) process.exit(1);
