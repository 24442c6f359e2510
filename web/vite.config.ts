import { defineConfig } from "vite";

// The page goes where the wheel takes it from. No polyfills and nothing inline: the node's policy for content refuses it.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../src/triplewire/web/static",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: false,
    target: "es2022",
    cssCodeSplit: false,
    chunkSizeWarningLimit: 900,
  },
});
