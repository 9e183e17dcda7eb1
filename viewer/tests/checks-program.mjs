// Pages that the program writes: every model, positions compared with results, modes, equilibria, two runs.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as THREE from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";
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
  const all = models();
  const written = new Map();
  const pageOf = (i) => {
    if (i < all.length && !written.has(i)) {
      written.set(i, modelPage(all[i], h.folder));
      // who waits for it reports its failure
      written.get(i).catch(() => {});
    }
    return written.get(i);
  };
  const of = all.map((model, i) => [`model ${model.name}`, async (page) => {
    const file = await pageOf(i);
    // the next model is computed while this one is drawn
    if (h.everything) void pageOf(i + 1);
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
    ["the gallery: a picture becomes live on click", async (page) => {
      const out = join(h.folder, "gallery");
      await succeed("gallery", "pendulum", "falling_drag", "-o", out);
      assert(readdirSync(out).sort().join() === "falling_drag.html,falling_drag.svg,index.html,pendulum.html,pendulum.svg", readdirSync(out).join());
      await page.goto(pathToFileURL(join(out, "index.html")).href);
      const frame = page.frames().find((f) => f !== page.mainFrame());
      const image = frame.getByRole("img", { name: "show it move" });
      await image.waitFor();
      assert(await image.evaluate((x) => x.decode().then(() => x.naturalWidth > 0)), "the picture is not there");
      assert(page.frames().length === 3 && page.frames().every((f) => !/(pendulum|drag)\.html/.test(f.url())), "a model is loaded before it is clicked");
      await h.picture(page, "gallery");
      await frame.getByRole("link").focus();
      await page.keyboard.press("Enter");
      await frame.waitForFunction(() => window.cardan !== undefined, undefined, { timeout: 30_000 });
      const seen = await drawn(frame);
      assert(seen.part > 0.0008, `the picture is nearly empty: ${JSON.stringify(seen)}`);
      assert(page.frames().filter((f) => f.url().endsWith(".html")).length === 2, "another model was loaded too");
      await h.picture(page, "gallery-live");
    }, LARGE],
    ["glTF files are what three.js reads", async () => {
      for (const [model, part, kind] of [["spring_pendulum", "spring", "Mesh"], ["membrane", "membrane", "Mesh"], ["flexible_slider_crank", "rod", "SkinnedMesh"]]) {
        const out = join(h.folder, `gltf-${model}`), file = `${out}.glb`;
        await succeed("run", model, "--max-time", "1s", "--format", "csv", "--quiet", "-o", out);
        await succeed("export", out, "--gltf", file);
        const bytes = readFileSync(file);
        const { scene, animations } = await new GLTFLoader().parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "");
        const found = [];
        scene.traverse((o) => { if (o.type === kind && o.name.startsWith(part)) found.push(o); });
        assert(found.length > 0, `${model}: no ${kind} for ${part}`);
        const mixer = new THREE.AnimationMixer(scene);
        mixer.clipAction(animations[0]).play();
        mixer.setTime(0.5 * animations[0].duration);
        scene.updateMatrixWorld(true);
        if (model === "membrane") {
          const weights = found[0].morphTargetInfluences;
          assert(weights.length > 5 && Math.abs(weights.reduce((a, b) => a + b) - 1) < 1e-6, `the weights of the membrane are ${weights}`);
        }
        if (model !== "spring_pendulum") continue;
        // the spring ends at the bob, which the file has too
        const tip = new THREE.Vector3(0, 0, 1).applyMatrix4(found[0].matrixWorld);
        const bob = scene.getObjectByName("bob").getWorldPosition(new THREE.Vector3());
        assert(tip.distanceTo(bob) < 2e-3, `the spring ends ${tip.distanceTo(bob)} m from the bob`);
      }
    }],
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
