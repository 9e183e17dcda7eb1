// Debian's Chromium without a network, and pages with data in it.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const PLACE = '<script type="application/json" id="cardan-data">null</script>';
const template = new URL("../../crates/cardan-lab/viewer/cardan-viewer.html", import.meta.url);
const PROGRAM = "/usr/bin/chromium";

/** Starts the browser; installs it first where it is missing. */
export async function start() {
  if (!existsSync(PROGRAM)) {
    execFileSync("apt-get", ["update"], { stdio: "inherit" });
    execFileSync("apt-get", ["install", "-y", "chromium"], { stdio: "inherit" });
  }
  return chromium.launch({
    executablePath: PROGRAM, headless: true,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  });
}

/** The page with a document in it, as the program writes it. */
export function html(data) {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  const page = readFileSync(template, "utf8");
  const at = page.indexOf(PLACE);
  return page.slice(0, at) + PLACE.replace("null", () => text.replaceAll("<", "\\u003c")) + page.slice(at + PLACE.length);
}
