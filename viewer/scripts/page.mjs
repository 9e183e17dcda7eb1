// Puts the built script and style sheet into one HTML file, with a content security policy that names both by their hashes.
//
//   node scripts/page.mjs write     writes the page into the crate that embeds it
//   node scripts/page.mjs compare   fails if the committed page has other bytes
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const built = (name) => readFileSync(new URL(`../dist/${name}`, import.meta.url), "utf8");
const target = new URL("../../crates/cardan-lab/viewer/cardan-viewer.html", import.meta.url);
const PLACE = '<script type="application/json" id="cardan-data">null</script>';

/** The hash of an inline script or style as a content security policy writes it. */
const hash = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

function page() {
  const notices = readFileSync(new URL("notices.txt", import.meta.url), "utf8").trim();
  // an inline script ends at the first "</script", whatever stands around it
  const script = built("viewer.js").trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
  const style = built("viewer.css").trim();
  const policy = [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    "img-src data: blob:",
    "media-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const html = `<!doctype html>
<!--
${notices}
-->
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Cardan</title>
<style>${style}</style>
</head>
<body>
<noscript>This page shows a mechanism in motion and needs JavaScript.</noscript>
${PLACE}
<script type="module">${script}</script>
</body>
</html>
`;
  if (html.split(PLACE).length !== 2) throw new Error("the place of the data must occur once in the page");
  return html;
}

const mode = process.argv[2];
const html = page();
if (mode === "write") {
  writeFileSync(target, html);
  console.log(`${fileURLToPath(target)}: ${Buffer.byteLength(html)} bytes`);
} else if (mode === "compare") {
  if (readFileSync(target, "utf8") !== html) {
    console.error("cardan-viewer.html differs from its sources: run `npm run build` in viewer/ and commit the page");
    process.exit(1);
  }
  console.log("cardan-viewer.html agrees with its sources");
} else {
  console.error("usage: node scripts/page.mjs write|compare");
  process.exit(2);
}
