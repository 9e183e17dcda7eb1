// Pages that the program writes: every model, positions compared with results, modes, equilibria, two runs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { html, documentOf } from "./browser.mjs";
import { assert, drawn } from "./harness.mjs";
import { cardan, columns, modelPage, models } from "./program.mjs";

/** Models whose results contain the position of a body in all directions, and how long to run them. */
const COMPARED = [["heavy_top", "top", "0.1"], ["rolling_disc", "disc", "1"], ["pendulum_spatial", "bob", "1"], ["spring_pendulum", "bob", "1"]];

/** The pictures of models are for people. */
const LARGE = { viewport: { width: 1280, height: 800 } };

const succeed = async (...options) => {
  const { code, text } = await cardan(...options);
  assert(code === 0, `cardan ${options.join(" ")} failed: ${text}`);
};

const middle = (page) => page.evaluate(() => {
  const { motions } = window.cardan.viewer;
  window.cardan.seek(motions[0].start + 0.43 * (motions[0].end - motions[0].start));
});

export function programChecks(h) {
  let current = false;
  const of = models().map((model) => [`model ${model.name}`, async (page) => {
    const file = await modelPage(model, h.folder);
    if (!current) {
      const written = readFileSync(file, "utf8");
      const head = (text) => text.match(/script-src '[^']*'/)?.[0];
      assert(head(written) === head(html("null")), "the program was built with another page: try: cargo build -p cardan-cli");
      assert(written.includes(documentOf(written)), "the page has no data");
      current = true;
    }
    await h.open(page, file);
    await middle(page);
    const seen = await drawn(page);
    assert(seen.part > 0.0008 && seen.colors > 12, `the picture is nearly empty: ${JSON.stringify(seen)}`);
    await h.picture(page, `model-${model.name}`);
    await page.keyboard.press("d");
    await page.waitForTimeout(50);
    await h.picture(page, `model-${model.name}-dark`);
  }, LARGE]);

  const compared = COMPARED.map(([model, body, end]) => [`positions of ${model} agree with its results`, async (page) => {
    const out = join(h.folder, `compared-${model}`);
    await succeed("run", model, "--end", end, "--every", "step", "--format", "csv", "--view", "--quiet", "-o", out);
    const table = columns(join(out, "results.csv"));
    await h.open(page, join(out, "view.html"));
    const { times, size } = await page.evaluate(() => ({ times: window.cardan.times(), size: window.cardan.viewer.data.scene.size }));
    const row = new Map(table.time.map((t, i) => [t, i]));
    const stored = times.map((t, k) => ({ t, k, i: row.get(t) })).filter((x) => x.i !== undefined);
    assert(stored.length >= 5 && stored.length >= 0.3 * times.length, `only ${stored.length} of ${times.length} stored frames are rows of the results`);
    let worst = 0;
    const chosen = stored.filter((_, n) => n % Math.ceil(stored.length / 40) === 0);
    for (const { t, i } of chosen) {
      const seen = await page.evaluate(([at, name]) => { window.cardan.seek(at); return window.cardan.position(name); }, [t, body]);
      ["x", "y", "z"].forEach((axis, d) => { worst = Math.max(worst, Math.abs(seen[d] - (table[`${body}.position.${axis}`]?.[i] ?? 0))); });
    }
    console.log(`      ${model}: ${chosen.length} stored frames, largest difference ${(worst / size).toExponential(1)} of the model's size`);
    assert(worst <= 1e-6 * size, `a position differs by ${worst} m, the size is ${size} m`);
  }]);

  return [
    ...of,
    ...compared,
    ["two runs that the program wrote", async (page) => {
      const [a, b, file] = ["fine", "coarse", "both.html"].map((n) => join(h.folder, n));
      await succeed("run", "spring_pendulum", "--end", "3", "--quiet", "-o", a);
      await succeed("run", "spring_pendulum", "--end", "3", "--step", "5e-2", "--quiet", "-o", b);
      await succeed("view", a, b, "-o", file);
      await h.open(page, file);
      await middle(page);
      const [p, q] = await page.evaluate(() => [0, 1].map((run) => window.cardan.position("bob", 3, run)));
      assert(Math.hypot(...p.map((x, d) => x - q[d])) > 1e-6, "both runs are the same");
      assert(await page.evaluate(() => window.cardan.viewer.motions.length === 2), "not two runs");
      await page.getByRole("button", { name: "Plot the energies" }).click();
      await h.picture(page, "two-runs");
    }, LARGE],
    ["modes that the program wrote", async (page) => {
      const file = join(h.folder, "modes.html");
      await succeed("modes", "rotating_shaft", "--view", file);
      await h.open(page, file);
      const names = await page.getByRole("combobox", { name: "Mode shape" }).locator("option").allTextContents();
      assert(names.length > 3 && /^mode 1: [\d.]+ Hz, damping/.test(names[0]), names.join());
      await page.getByRole("combobox", { name: "Mode shape" }).selectOption("2");
      await page.evaluate(() => window.cardan.seek(0));
      await h.picture(page, "modes");
    }, LARGE],
    ["equilibria that the program wrote, step by step", async (page) => {
      const file = join(h.folder, "equilibria.html");
      await succeed("static", "bend_45", "--steps", "8", "--view", file);
      await h.open(page, file);
      const count = (await page.evaluate(() => window.cardan.times())).length;
      for (let k = 1; k <= 3; k++) {
        const caption = await page.evaluate(() => { window.cardan.draw(); return document.querySelector(".caption").textContent; });
        assert(caption === `equilibrium ${k} of ${count}`, caption);
        await page.keyboard.press(".");
      }
      await page.keyboard.press("End");
      await page.getByRole("combobox", { name: "Colour of beams" }).selectOption("moment-y");
      await h.picture(page, "equilibria");
    }, LARGE],
  ];
}
