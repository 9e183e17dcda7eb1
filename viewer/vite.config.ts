import { defineConfig } from "vitest/config";

// One script and one style sheet; scripts/page.mjs puts both into the page.
export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2000,
    rollupOptions: {
      output: {
        inlineDynamicImports: true,
        entryFileNames: "viewer.js",
        assetFileNames: "viewer[extname]",
      },
    },
  },
  test: { include: ["tests/unit/**/*.test.ts"] },
});
