// Documents of all sorts: hostile, damaged, large, overlaid, modes, many on one page.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { html } from "./browser.mjs";
import { crowd, everything, hostile, modes, stations, twoRuns } from "./fixtures.mjs";
import { assert, drawn } from "./harness.mjs";

/** Milliseconds of script per frame that the page may take, as median. */
const BUDGET = 8;

/** A small picture: the pixels are drawn without a graphics card here, and the script does not depend on their number. */
const SMALL = { viewport: { width: 420, height: 320 } };

/** The median of the script's milliseconds per frame while the motion plays. */
async function cost(page) {
  await page.evaluate(() => { window.cardan.viewer.costs.length = 0; window.cardan.play(); });
  await page.waitForFunction(() => window.cardan.viewer.costs.length >= 9, undefined, { timeout: 60_000 });
  return page.evaluate(() => [...window.cardan.viewer.costs].slice(3).sort((a, b) => a - b)[Math.floor((window.cardan.viewer.costs.length - 3) / 2)]);
}

export function documentChecks(h) {
  const damaged = (change) => { const d = everything(); change(d); return JSON.stringify(d); };
  const messages = [
    ["no data", "null", /has no data/],
    ["cut off", JSON.stringify(everything()).slice(0, 5000), /not JSON/],
    ["another format", damaged((d) => { d.format = 2; }), /format 2/],
    ["numbers that are not base64", damaged((d) => { d.runs[0].frames.data = "%%%"; }), /base64/],
    ["damaged compression", damaged((d) => { d.runs[0].frames.data = d.runs[0].frames.data.slice(0, 400); }), /damaged or cut off/],
    ["frames that do not fit", damaged((d) => { d.scene.nodes += 1; }), /do not fit/],
    ["no instant", damaged((d) => { d.runs[0].times = { dtype: "f64", shape: [0], data: "" }; }), /no instant/],
    ["no run", damaged((d) => { d.runs = []; }), /no run/],
  ];
  return [
    ["damaged documents give a sentence", async (page) => {
      for (const [what, text, expected] of messages) {
        const file = join(h.folder, "damaged.html");
        writeFileSync(file, html(text));
        await page.goto(pathToFileURL(file).href);
        await page.waitForSelector(".message", { timeout: 10_000 });
        const said = await page.locator(".message").textContent();
        assert(expected.test(said), `${what}: ${said}`);
      }
    }],

    ["hostile names stay text", async (page) => {
      await h.open(page, hostile());
      for (const part of [0, 1, 2]) await page.evaluate((i) => window.cardan.viewer.select(i), part);
      await page.getByRole("searchbox").fill("script");
      await page.locator(".channels button").first().click();
      assert((await page.evaluate(() => window.hacked)) === undefined, "a name was executed");
      assert((await page.title()) === "<script>window.hacked = 1</script>", `the title is ${await page.title()}`);
      assert((await page.locator("img, iframe, script:not([type])").count()) === 0, "a name became an element");
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert(width <= 1010, `long names make the page ${width} points wide`);
      await page.getByRole("searchbox").fill("");
      await h.picture(page, "hostile-names");
    }],

    ["content security policy: hashes, no eval, no inline script", async (page) => {
      await h.open(page, everything());
      const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content");
      assert(/default-src 'none'/.test(policy) && !/unsafe|\*|http/.test(policy), `the policy is ${policy}`);
      const blocked = await page.evaluate(() => {
        const out = [];
        document.addEventListener("securitypolicyviolation", (e) => out.push(e.violatedDirective));
        const script = document.createElement("script");
        script.textContent = "window.hacked = 1";
        document.body.append(script);
        const image = document.createElement("img");
        image.src = "https://example.invalid/x.png";
        document.body.append(image);
        return new Promise((resolve) => setTimeout(() => resolve({ out, hacked: window.hacked }), 200));
      });
      assert(blocked.hacked === undefined && blocked.out.some((d) => d.startsWith("script-src")) && blocked.out.includes("img-src"), JSON.stringify(blocked));
      // the tools of the browser evaluate in the page without its policy, but what they start later is bound to it
      const evaluated = await page.evaluate(() => new Promise((resolve) => setTimeout(() => {
        try { resolve(new Function("return 1")()); } catch (e) { resolve(e.name); }
      }, 0)));
      assert(evaluated === "EvalError", `code from text gives ${evaluated}`);
    }, { faults: (faults) => { const other = faults.filter((f) => !/Content Security Policy|request: https:\/\/example.invalid/.test(f)); if (other.length > 0) throw new Error(other.join("; ")); } }],

    ["two runs are overlaid", async (page) => {
      await h.open(page, twoRuns());
      assert((await page.locator(".caption").textContent()) === "run; translucent: other step", "no caption of the runs");
      const both = await drawn(page);
      await page.getByRole("button", { name: "Show another run" }).click();
      const one = await drawn(page);
      assert(both.part > one.part, `the second run adds nothing: ${both.part}, ${one.part}`);
      await page.getByRole("button", { name: "Plot the energies" }).click();
      assert((await page.locator(".plots .value").first().textContent()).split("J").length === 9, "not four energies of two runs");
    }],

    ["mode shapes are chosen from a list", async (page) => {
      await h.open(page, modes());
      const list = page.getByRole("combobox", { name: "Mode shape" });
      assert((await list.locator("option").allTextContents()).join() === "mode 1: 1.25 Hz, damping 2 %,mode 2: 4 Hz, damping 0 %", (await list.locator("option").allTextContents()).join());
      const rest = await page.evaluate(() => window.cardan.position("body sphere", 0.25));
      await list.selectOption("1");
      await page.evaluate(() => window.cardan.seek(0));
      const moved = await page.evaluate(() => window.cardan.position("body sphere"));
      // body 5 is node 4 of a shape sin(0.7 k), drawn with 12 % of the model's size of 2 m
      assert(Math.abs(moved[2] - rest[2] - 0.24 * Math.sin(2.8)) < 1e-6, `the sphere moves by ${moved[2] - rest[2]}`);
      assert((await page.locator(".caption").textContent()) === "mode 2: 4 Hz, damping 0 %", "no caption");
    }],

    ["1,000 bodies within 8 ms per frame", async (page) => {
      await h.open(page, crowd());
      const ms = await cost(page);
      console.log(`      1,000 bodies: ${ms.toFixed(2)} ms of script per frame (median)`);
      assert(ms <= BUDGET, `${ms} ms`);
      await h.picture(page, "many-bodies");
    }, SMALL],

    ["10,000 stations of beams within 8 ms per frame", async (page) => {
      await h.open(page, stations());
      await page.getByRole("combobox", { name: "Colour of beams" }).selectOption("axial");
      const ms = await cost(page);
      console.log(`      10,000 stations: ${ms.toFixed(2)} ms of script per frame (median)`);
      assert(ms <= BUDGET, `${ms} ms`);
      await h.picture(page, "many-stations");
    }, SMALL],

    ["three pages on one page do not disturb each other", async (page) => {
      const one = join(h.folder, "one.html"), several = join(h.folder, "several.html");
      writeFileSync(one, html(everything()));
      const inside = readFileSync(one, "utf8").replaceAll("&", "&amp;").replaceAll('"', "&quot;");
      const frame = (rest) => `<iframe width="400" height="380" ${rest}></iframe>`;
      writeFileSync(several, `<!doctype html><title>Notebook</title>${frame('src="one.html"')}${frame(`srcdoc="${inside}"`)}${frame(`sandbox="allow-scripts" srcdoc="${inside}"`)}`);
      await page.goto(pathToFileURL(several).href);
      const frames = page.frames().slice(1);
      assert(frames.length === 3, `${frames.length} frames`);
      for (const f of frames) await f.waitForFunction(() => window.cardan !== undefined, undefined, { timeout: 30_000 });
      for (const [k, f] of frames.entries()) await f.evaluate((t) => window.cardan.seek(t), 0.25 * (k + 1));
      const times = await Promise.all(frames.map((f) => f.evaluate(() => window.cardan.time())));
      assert(times.join() === "0.25,0.5,0.75", `the times are ${times.join()}`);
      await frames[1].locator(".picture canvas").first().focus();
      await page.keyboard.press("End");
      await page.keyboard.press("d");
      const after = await Promise.all(frames.map((f) => f.evaluate(() => `${window.cardan.time()} ${document.documentElement.dataset.theme}`)));
      assert(after.join() === "0.25 light,2 dark,0.75 light", `a key in one page leads to ${after.join()}`);
      for (const [k, f] of frames.entries()) {
        const { part } = await drawn(f);
        assert(part > 0.01, `the picture of page ${k + 1} is nearly empty: ${part}`);
      }
      await h.picture(page, "three-in-one-page");
    }, { viewport: { width: 1280, height: 420 } }],
  ];
}
