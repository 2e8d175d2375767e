// SPDX-License-Identifier: MIT
// Brings npm to a machine that has Node without it: Debian's own npm is nearly four hundred packages,
// this is one file of three megabytes, known by its hash. Prints the path of the command.
//   node npm.mjs FOLDER
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const version = "10.9.9"; // the last that runs on Node 18
const integrity = "sha512-1g+6jLQvaIuB4zwvHL7yrXuXcWZwDsCtBX8bbWDqbvJSSr9nPiDDWTHNgwXR27iIcTTW7v3A57hDW9RYv2W4Yg==";
const registry = (process.env.npm_config_registry ?? "https://registry.npmjs.org/").replace(/\/*$/, "/");

const folder = process.argv[2];
const place = join(folder, `npm-${version}`);
if (!existsSync(place)) {
  const response = await fetch(`${registry}npm/-/npm-${version}.tgz`);
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  if (`sha512-${createHash("sha512").update(bytes).digest("base64")}` !== integrity)
    throw new Error(`${response.url} is not the npm it should be`);
  const fresh = `${place}.${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  writeFileSync(join(fresh, "npm.tgz"), bytes);
  const { status, stderr } = spawnSync("tar", ["-xzf", "npm.tgz"], { cwd: fresh, encoding: "utf8" });
  if (status !== 0) throw new Error(`tar: ${stderr}`);
  try {
    renameSync(fresh, place);
  } catch {
    rmSync(fresh, { recursive: true }); // another build was first
  }
}
console.log(join(place, "package/bin/npm-cli.js"));
