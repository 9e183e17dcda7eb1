// Checks in a browser: each has a name, its own page, and fails if the page reports an error or asks the network for anything.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { html } from "./browser.mjs";

export class Harness {
  failures = [];
  /** Whether all checks run. */
  everything = false;
  count = 0;

  constructor(context, folder, pictures) {
    this.context = context;
    this.folder = folder;
    this.pictures = pictures;
    mkdirSync(folder, { recursive: true });
    mkdirSync(pictures, { recursive: true });
  }

  /** Runs one check. `options.media` sets colour scheme and reduced motion, `options.viewport` the size. */
  async check(name, act, options = {}) {
    const started = Date.now();
    const page = await this.context.newPage();
    const faults = [];
    page.on("console", (m) => { if (m.type() === "error") faults.push(`console: ${m.text().slice(0, 300)}`); });
    page.on("pageerror", (e) => faults.push(`error in the page: ${e.message.slice(0, 300)}`));
    page.on("request", (r) => { if (!/^(file|data|blob|about):/.test(r.url())) faults.push(`request: ${r.url().slice(0, 200)}`); });
    page.on("dialog", (d) => { faults.push(`dialog: ${d.message().slice(0, 100)}`); void d.dismiss(); });
    try {
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce", ...options.media });
      await page.setViewportSize(options.viewport ?? { width: 1010, height: 480 });
      await act(page);
      if (options.faults) options.faults(faults);
      else if (faults.length > 0) throw new Error(faults.join("; "));
      console.log(`ok    ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
    } catch (e) {
      this.failures.push(name);
      console.log(`FAIL  ${name}: ${e instanceof Error ? e.message : e}`);
      await page.screenshot({ path: join(this.pictures, `failed-${name.replace(/\W+/g, "-")}.png`) }).catch(() => {});
    }
    this.count += 1;
    await page.close();
  }

  /** Opens a document of FORMAT.md, or a file that the program wrote, and waits until the viewer has started. */
  async open(page, what) {
    let file = what;
    if (typeof what !== "string") {
      file = join(this.folder, `document-${this.count}.html`);
      writeFileSync(file, html(what));
    }
    await page.goto(pathToFileURL(file).href);
    await page.waitForFunction(() => window.cardan !== undefined || document.querySelector(".message") !== null, undefined, { timeout: 30_000 });
    const message = await page.evaluate(() => document.querySelector(".message")?.textContent);
    if (message) throw new Error(`the page shows a message: ${message}`);
  }

  picture(page, name) {
    return page.screenshot({ path: join(this.pictures, `${name}.png`) });
  }
}

export function assert(condition, what) {
  if (!condition) throw new Error(what);
}

/** The part of the pixels of the picture that differ from the background at its upper left corner, and how many colours it has. */
export function drawn(page) {
  return page.evaluate(() => {
    window.cardan.draw();
    const source = document.querySelector(".picture canvas");
    const copy = document.createElement("canvas");
    copy.width = 320;
    copy.height = 200;
    const context = copy.getContext("2d");
    context.drawImage(source, 0, 0, 320, 200);
    const p = context.getImageData(0, 0, 320, 200).data;
    let other = 0;
    const colors = new Set();
    for (let i = 0; i < p.length; i += 4) {
      if (Math.abs(p[i] - p[0]) + Math.abs(p[i + 1] - p[1]) + Math.abs(p[i + 2] - p[2]) > 60) other += 1;
      colors.add((p[i] >> 3) * 1024 + (p[i + 1] >> 3) * 32 + (p[i + 2] >> 3));
    }
    return { part: other / (320 * 200), colors: colors.size, first: [p[0], p[1], p[2]] };
  });
}
