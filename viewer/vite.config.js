// SPDX-License-Identifier: Apache-2.0
// Builds report.html into one file, dist/report.html: scripts and styles inside, allowed by their
// hashes and nothing else. The build depends on the sources and the lock file alone.
import {createHash} from "node:crypto";
import {readFileSync, writeFileSync} from "node:fs";
import {resolve} from "node:path";
import {defineConfig} from "vite";
import {viteSingleFile} from "vite-plugin-singlefile";

// the page's policy: own script and style by hash, questions to its own server, no other network
const policy = () => ({
  name: "hooke-policy",
  enforce: "post",
  closeBundle() {
    const file = resolve(__dirname, "dist/report.html");
    const html = readFileSync(file, "utf8");
    const hashes = (tag) =>
      [...html.matchAll(new RegExp(`<${tag}\\b[^>]*>([\\s\\S]*?)</${tag}>`, "g"))]
        .map((m) => `'sha256-${createHash("sha256").update(m[1], "utf8").digest("base64")}'`)
        .join(" ");
    const rules = `default-src 'none'; script-src ${hashes("script")}; style-src ${hashes("style")}; ` +
      "img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'";
    writeFileSync(file, html.replace("<!--hooke-policy-->",
      () => `<meta http-equiv="Content-Security-Policy" content="${rules}">`));
  },
});

export default defineConfig({
  plugins: [viteSingleFile({removeViteModuleLoader: true}), policy()],
  build: {
    target: "es2020",
    modulePreload: false,
    emptyOutDir: true,
    rollupOptions: {input: resolve(__dirname, "report.html")},
  },
});
