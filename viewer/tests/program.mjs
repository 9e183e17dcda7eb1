// Pages that the program `cardan` writes: a short run of every model, mode shapes, equilibria, two runs.
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The program: CARDAN, or the newer one of the target folder. */
export function program() {
  const target = process.env.CARGO_TARGET_DIR ?? join(root, "target");
  const built = ["release", "debug"].map((profile) => join(target, profile, "cardan")).filter(existsSync);
  built.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  const found = process.env.CARDAN ?? built[0];
  if (!found) throw new Error("no program `cardan`: try: cargo build -p cardan-cli");
  return found;
}

/** Runs the program; gives its exit code and output. */
export function cardan(...options) {
  return new Promise((resolve) => {
    execFile(program(), options, { maxBuffer: 1 << 26 }, (error, stdout, stderr) => resolve({ code: error ? (error.code ?? 1) : 0, text: `${stdout}${stderr}` }));
  });
}

/** All model files by name, and those of this folder with parts that no example has. */
export function models() {
  return [...modelsIn(join(root, "models")), ...modelsIn(fileURLToPath(new URL("models", import.meta.url)))];
}

function modelsIn(folder) {
  const found = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isFile() && entry.name.endsWith(".toml")) return [{ name: basename(entry.name, ".toml"), file: join(folder, entry.name) }];
    const inner = join(folder, entry.name, "model.toml");
    return entry.isDirectory() && existsSync(inner) ? [{ name: entry.name, file: inner }] : [];
  });
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The page of a short run of a model; of the model at its start if the run fails. */
export async function modelPage(model, folder) {
  const out = join(folder, model.name);
  const run = await cardan("run", model.file, "--max-time", "1s", "--view", "--quiet", "-o", out);
  if (run.code === 0 && existsSync(join(out, "view.html"))) return join(out, "view.html");
  const page = join(folder, `${model.name}.html`);
  const view = await cardan("view", model.file, "-o", page);
  if (view.code !== 0) throw new Error(`cardan view ${model.name} failed: ${view.text}`);
  return page;
}

/** The columns of a results file (CSV) by name. */
export function columns(file) {
  const [head, ...rows] = readFileSync(file, "utf8").split("\n").filter((line) => line && !line.startsWith("#"));
  const table = rows.map((row) => row.split(",").map(Number));
  return Object.fromEntries(head.split(",").map((name, k) => [name, table.map((row) => row[k])]));
}
