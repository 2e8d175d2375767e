// SPDX-License-Identifier: MIT
// Bundles the report's page: template, style, script and the charting library become one HTML file
// with two marks, where `collider report` writes the title and the data. The result depends on nothing
// but the files of this folder and the locked packages: the same bytes on any machine.
//   node build.mjs PACKAGES OUTPUT
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [packages, output] = process.argv.slice(2);
if (!output) {
  console.error("build.mjs: say PACKAGES (a folder that has node_modules) and OUTPUT");
  process.exit(2);
}
const here = dirname(fileURLToPath(import.meta.url));
const modules = join(packages, "node_modules");
const esbuild = createRequire(join(packages, "package.json"))("esbuild");

const shared = {
  absWorkingDir: here,
  nodePaths: [modules],
  bundle: true,
  minify: true,
  write: false,
  charset: "utf8",
  target: ["es2020"],
  legalComments: "none", // the licences are in the page, whole
  logLevel: "warning",
};

async function bundle(entry, options) {
  const result = await esbuild.build({ ...shared, entryPoints: [entry], ...options });
  return result.outputFiles[0].text.trim();
}

// An HTML parser ends a script at the first of these, wherever it stands.
function embeddable(text, what) {
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`${what} holds text that would end its element`);
  return text;
}

const text = (name) => readFileSync(name, "utf8").replace(/\r\n/g, "\n");
const escape = (raw) => raw.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const sha256 = (raw) => createHash("sha256").update(raw, "utf8").digest("base64");

function licences() {
  return ["echarts/NOTICE", "echarts/LICENSE", "echarts/licenses/LICENSE-d3", "zrender/LICENSE", "tslib/LICENSE.txt"]
    .map((name) => `${name}\n\n${text(join(modules, name)).trim()}`)
    .join("\n\n" + "-".repeat(72) + "\n\n");
}

const script = embeddable(
  await bundle("src/main.js", { format: "iife", define: { "process.env.NODE_ENV": '"production"' } }),
  "the script",
);
const style = embeddable(await bundle("src/style.css", { loader: { ".css": "css" } }), "the style");

const parts = {
  "%style%": style,
  "%script%": script,
  "%script-hash%": sha256(script),
  "%licences%": escape(licences()),
};
const page = text(join(here, "src/template.html")).replace(/%[a-z-]+%/g, (mark) => parts[mark] ?? mark);
for (const mark of ["%collider-report-title%", "%collider-report-data%"])
  if (page.split(mark).length !== 2) throw new Error(`${mark} must be in the page once`);

mkdirSync(dirname(output), { recursive: true });
writeFileSync(output + ".new", page);
renameSync(output + ".new", output);
