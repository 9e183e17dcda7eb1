import js from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist", "node_modules", "screenshots"] },
  js.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: "error",
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: "Names of the model stay text: use textContent." },
        { property: "outerHTML", message: "Names of the model stay text: use textContent." },
        { property: "insertAdjacentHTML", message: "Names of the model stay text: use textContent." },
      ],
    },
  },
  {
    files: ["**/*.mjs", "*.js"],
    languageOptions: { globals: { process: "readonly", console: "readonly", Buffer: "readonly", URL: "readonly", setTimeout: "readonly", window: "readonly", document: "readonly", performance: "readonly", requestAnimationFrame: "readonly", getComputedStyle: "readonly" } },
  },
);
