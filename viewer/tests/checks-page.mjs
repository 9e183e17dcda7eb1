// How the page works for people: time, keys, plots, parts, light and dark, phone, files.
import { readFileSync } from "node:fs";
import { everything } from "./fixtures.mjs";
import { assert, drawn } from "./harness.mjs";

const time = (page) => page.evaluate(() => window.cardan.time());
const pause = (page, ms) => page.waitForTimeout(ms);
const MOVING = { media: { reducedMotion: "no-preference" } };

export function pageChecks(h) {
  return [
    ["all kinds of parts are drawn", async (page) => {
      await h.open(page, everything());
      const seen = await drawn(page);
      assert(seen.part > 0.01 && seen.colors > 60, `the picture is nearly empty: ${JSON.stringify(seen)}`);
      await h.picture(page, "parts-all-kinds");
    }, { viewport: { width: 1280, height: 800 } }],

    ["play, pause, scrub, step, speed, loop", async (page) => {
      await h.open(page, everything());
      await page.waitForFunction(() => window.cardan.time() > 0.05);
      await page.getByRole("button", { name: "Pause" }).click();
      const stopped = await time(page);
      await pause(page, 150);
      assert((await time(page)) === stopped, "the time goes on after a pause");
      await page.getByRole("slider", { name: "Time" }).fill("500000");
      assert(Math.abs((await time(page)) - 1) < 1e-9, `the middle of the slider is t = ${await time(page)}`);
      await page.getByRole("button", { name: "One frame on" }).click();
      assert(Math.abs((await time(page)) - 1.05) < 1e-9, `a step leads to t = ${await time(page)}`);
      await page.getByRole("combobox", { name: "Speed" }).selectOption("0.5");
      assert((await page.evaluate(() => window.cardan.viewer.player.speed)) === 0.5, "the speed does not change");
      await page.getByRole("button", { name: "Repeat" }).click();
      await page.evaluate(() => { window.cardan.seek(1.99); window.cardan.play(); });
      await page.waitForFunction(() => window.cardan.time() === 2, undefined, { timeout: 8000 });
    }, MOVING],

    ["reduced motion: the page does not start by itself", async (page) => {
      await h.open(page, everything());
      await pause(page, 200);
      assert((await time(page)) === 0, "the motion plays");
    }],

    ["keyboard alone", async (page) => {
      await h.open(page, everything());
      const press = (key) => page.keyboard.press(key);
      await press(".");
      assert(Math.abs((await time(page)) - 0.05) < 1e-9, "`.` is not one frame");
      await press("End");
      assert((await time(page)) === 2, "End is not the end");
      await press("Home");
      await press("Space");
      await page.waitForFunction(() => window.cardan.time() > 0.02);
      await press("Space");
      for (const key of ["1", "5", "7", "f", "g", "r", "e", "c"]) await press(key);
      assert((await page.locator(".plots figure").count()) === 2, "`e` and `c` do not open two plots");
      await press("?");
      assert(await page.locator("dialog.help").isVisible(), "`?` does not open the help");
      await press("Escape");
      assert(!(await page.locator("dialog.help").isVisible()), "Esc does not close the help");
      // to a part with Tab, and choose it with Enter
      let found = false;
      for (let k = 0; k < 60 && !found; k++) {
        await press("Tab");
        found = await page.evaluate(() => document.activeElement?.getAttribute("data-part") === "4");
      }
      assert(found, "Tab does not reach the parts");
      await press("Enter");
      assert((await page.evaluate(() => window.cardan.viewer.selected)) === 4, "Enter does not choose a part");
      for (const key of ["t", "o", "p", "p"]) await press(key);
      await press("d");
      assert((await page.evaluate(() => document.documentElement.dataset.theme)) === "dark", "`d` does not change the theme");
      await press("Escape");
      assert((await page.evaluate(() => window.cardan.viewer.selected)) === -1, "Esc keeps the part");
    }],

    ["every control has a name, every text has contrast", async (page) => {
      await h.open(page, everything());
      for (const theme of ["light", "dark"]) {
        const bad = await page.evaluate(() => {
          const light = ([r, g, b]) => [r, g, b].map((x) => x / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)).reduce((s, c, i) => s + c * [0.2126, 0.7152, 0.0722][i], 0);
          const rgb = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
          const behind = (e) => { for (let x = e; x; x = x.parentElement) { const c = rgb(getComputedStyle(x).backgroundColor); if (c.length === 3 || c[3] > 0.5) return c; } return [255, 255, 255]; };
          const found = [];
          for (const e of document.querySelectorAll("button, select, input, h1, h2, .hint, .clock, small, li")) {
            if (!e.checkVisibility()) continue;
            if (/BUTTON|SELECT|INPUT/.test(e.tagName) && !(e.getAttribute("aria-label") ?? e.textContent)) found.push(`${e.outerHTML.slice(0, 80)} has no name`);
            const [a, b] = [light(rgb(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
            if (e.textContent && (a + 0.05) / (b + 0.05) < 4.5) found.push(`${e.textContent.slice(0, 30)}: contrast ${((a + 0.05) / (b + 0.05)).toFixed(2)}`);
          }
          return found;
        });
        assert(bad.length === 0, `${theme}: ${bad.slice(0, 5).join("; ")}`);
        await page.keyboard.press("d");
      }
    }],

    ["the text alternative follows the time", async (page) => {
      await h.open(page, everything());
      const label = await page.locator(".picture canvas").first().getAttribute("aria-label");
      assert(/9 bodies/.test(label) && /13 joints/.test(label), `the description is ${label}`);
      await page.evaluate(() => window.cardan.seek(1.5));
      await page.waitForFunction(() => document.querySelector("#instant")?.textContent.startsWith("1.5"), undefined, { timeout: 4000 });
      const words = await page.locator("#instant").textContent();
      assert(/body box \(centre of mass\) at -1, 0\.2992, 0\.3022 m/.test(words), `the instant is described as ${words}`);
    }],

    ["plots follow the time and set it", async (page) => {
      await h.open(page, everything());
      await page.getByRole("button", { name: "Plot the energies" }).click();
      await page.evaluate(() => window.cardan.seek(1));
      const shown = await page.locator(".plots .value").first().textContent();
      assert(shown.startsWith("kinetic0.8415 J"), `the kinetic energy is shown as ${shown}`);
      const box = await page.locator(".plots .u-over").first().boundingBox();
      await page.mouse.click(box.x + 0.25 * box.width, box.y + 0.5 * box.height);
      assert(Math.abs((await time(page)) - 0.5) < 0.02, `a click at a quarter leads to t = ${await time(page)}`);
      await page.getByRole("button", { name: "Plot the constraint residuals" }).click();
      assert((await page.locator(".plots figure").count()) === 2, "no second plot");
      await h.picture(page, "plots");
      await page.getByRole("button", { name: "Close plot energy" }).click();
      assert((await page.locator(".plots figure").count()) === 1, "the plot does not close");
      await page.getByRole("searchbox").fill("position.x");
      await page.getByRole("button", { name: "Plot body box.position.x" }).click();
      assert((await page.locator(".plots figure").count()) === 2, "a channel found by name is not plotted");
    }],

    ["a part is picked in the picture, followed, and leaves a trail", async (page) => {
      await h.open(page, everything());
      const at = await page.evaluate(() => {
        const v = window.cardan.viewer;
        window.cardan.seek(0.6);
        const p = v.picture.samples(v.parts[4])[0].project(v.stage.camera);
        const box = v.canvas.getBoundingClientRect();
        return [box.left + (p.x * 0.5 + 0.5) * box.width, box.top + (0.5 - p.y * 0.5) * box.height];
      });
      await page.mouse.click(...at);
      assert((await page.locator(".details h2").textContent()) === "body sphere", `picked ${await page.locator(".details").textContent()}`);
      assert(await page.locator(".label").isVisible(), "no label at the part");
      await page.getByRole("button", { name: "Draw the way of" }).first().click();
      await page.getByRole("button", { name: "Keep this part" }).click();
      await page.evaluate(() => window.cardan.seek(1.4));
      const off = await page.evaluate(() => {
        const v = window.cardan.viewer;
        return v.picture.samples(v.parts[4])[0].distanceTo(v.stage.controls.target);
      });
      assert(off < 1e-6, `the followed part is ${off} m from the middle`);
      await h.picture(page, "picked-with-trail");
    }],

    ["beams are coloured with a legend, reactions are drawn", async (page) => {
      await h.open(page, everything());
      const before = await drawn(page);
      await page.getByRole("combobox", { name: "Colour of beams" }).selectOption("axial");
      assert((await page.locator(".legend").textContent()).includes("Axial force (N)"), "no legend");
      await page.getByRole("button", { name: "Reaction forces" }).click();
      await page.evaluate(() => window.cardan.seek(0.8));
      const after = await drawn(page);
      assert(after.part > before.part, "reactions add nothing to the picture");
      await h.picture(page, "beam-colours-and-reactions");
    }],

    ["dark page", async (page) => {
      await h.open(page, everything());
      const seen = await drawn(page);
      assert(seen.first.every((c) => c < 60), `the background is ${seen.first.join()}`);
      await h.picture(page, "dark");
    }, { media: { colorScheme: "dark" } }],

    ["phone", async (page) => {
      await h.open(page, everything());
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert(width <= 390, `the page is ${width} points wide`);
      const play = await page.getByRole("button", { name: "Play (space)" }).boundingBox();
      assert(play.width >= 36 && play.height >= 36 && play.y + play.height <= 844, "the play button is too small or outside");
      const box = await page.locator(".picture").boundingBox();
      assert(box.height > 400, `the picture is only ${box.height} points high`);
      const right = await page.evaluate(() => Math.max(...[...document.querySelectorAll(".transport > *")].map((e) => e.getBoundingClientRect().right)));
      assert(right <= 390, `the controls of time end at ${right}`);
      const high = (await page.locator(".transport").boundingBox()).height;
      assert(high < 100, `the controls of time take ${high} points`);
      await h.picture(page, "phone");
      await page.getByRole("button", { name: "Parts and channels" }).click();
      assert(await page.locator(".panel").isVisible(), "the parts do not open");
      await page.getByRole("button", { name: "Plot the energies" }).click();
      await h.picture(page, "phone-parts");
    }, { viewport: { width: 390, height: 844 } }],

    ["PNG and WebM", async (page) => {
      await h.open(page, everything());
      const download = async (button) => {
        const [file] = await Promise.all([page.waitForEvent("download", { timeout: 30_000 }), page.getByRole("button", { name: button }).click()]);
        return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
      };
      const picture = await download("Save the picture");
      assert(picture.name === "every-kind-of-part.png" && picture.bytes.subarray(1, 4).toString() === "PNG" && picture.bytes.length > 10_000, `${picture.name}: ${picture.bytes.length} bytes`);
      await page.evaluate(() => { window.cardan.viewer.player.speed = 2; });
      const video = await download("Play once and save a video");
      assert(video.name === "every-kind-of-part.webm" && video.bytes.readUInt32BE(0) === 0x1a45dfa3 && video.bytes.length > 5000, `${video.name}: ${video.bytes.length} bytes`);
    }],
  ];
}
