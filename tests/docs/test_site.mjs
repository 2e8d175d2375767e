// SPDX-License-Identifier: MIT
// The site of make docs in a browser, from disk:  node test_site.mjs PACKAGES SITE
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { pathToFileURL } from "node:url";

const [packages, site] = process.argv.slice(2);
const phone = { width: 390, height: 844 };
const desk = { width: 1440, height: 900 };
const pages = readdirSync(site, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".html"))
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
let browser, page, heard;

before(async () => {
  const { chromium } = createRequire(join(packages, "package.json"))("playwright-core");
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  assert.ok(existsSync(executablePath), "there is no Chromium");
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  page = await browser.newPage();
  page.on("request", (request) => {
    if (!/^(file|data):/.test(request.url())) heard.push(request.url());
  });
  page.on("pageerror", (error) => heard.push(error.message));
});
after(() => browser?.close());

async function open(path, size) {
  heard = [];
  await page.setViewportSize(size);
  await page.goto(pathToFileURL(path).href);
}

test("no page is wider than a phone, every one has a heading and a way to the others, and asks for nothing elsewhere", async () => {
  assert.ok(pages.length > 100, `${pages.length} pages`);
  for (const path of pages) {
    await open(path, phone);
    const seen = await page.evaluate(() => ({
      over: document.documentElement.scrollWidth - innerWidth,
      viewport: document.querySelector("meta[name=viewport]")?.content,
      heading: document.querySelector("h1")?.textContent,
      menu: document.querySelector("label[for=__navigation]") !== null,
    }));
    assert.ok(seen.over <= 0, `${path} is ${seen.over} pixels too wide`);
    assert.match(seen.viewport ?? "", /width=device-width/, path);
    assert.ok((seen.heading || path.endsWith("search.html")) && seen.menu, path); // that one's comes with results
    assert.deepEqual(heard, [], path);
  }
});

test("the menu of a phone opens, and leads to a tutorial", async () => {
  await open(join(site, "index.html"), phone);
  await page.locator("label.nav-overlay-icon[for=__navigation]").click();
  await page.locator(".sidebar-tree a", { hasText: /^Tutorials$/ }).click();
  assert.match(await page.locator("h1").innerText(), /Tutorials/);
  await page.locator("article a", { hasText: "Read a failure" }).first().click();
  assert.match(await page.locator("h1").innerText(), /Read a failure/);
});

for (const [word, wanted] of [
  ["wishbone", "docs/rtl.html"],
  ["col_engine_next", "api/engine.h.html"],
  ["store buffering", "docs/tutorial/litmus.html"],
  ["notebook", "docs/tutorial/python.html"],
  ["keep-going", "man/collider-run.1.html"],
])
  test(`searching for "${word}" finds ${wanted}`, async () => {
    await open(join(site, "index.html"), desk);
    await page.fill("input[name=q]", word);
    await page.press("input[name=q]", "Enter");
    await page.waitForSelector("#search-results li a", { timeout: 600000 });
    await page.waitForFunction(() => /found/.test(document.querySelector("#search-results")?.textContent ?? ""));
    const found = await page.$$eval("#search-results li a", (all) => all.map((a) => a.href.replace(/[?#].*/, "")));
    assert.ok(found.includes(pathToFileURL(join(site, wanted)).href), found.slice(0, 8).join(" "));
  });

test("pictures of tutorials are drawn", async () => {
  await open(join(site, "docs/tutorial/failure.html"), desk);
  const sizes = await page.$$eval("article img", (all) => all.map((image) => image.naturalWidth));
  assert.ok(sizes.length > 0 && sizes.every((width) => width > 100), sizes.join(" "));
});

test("the C interface has the comments of the headers", async () => {
  await open(join(site, "api/engine.h.html"), desk);
  const next = page.locator("dl.function", { hasText: "col_engine_next" }).first();
  assert.match(await next.innerText(), /The same settings and feedback give the same programs/);
  const point = page.locator("dl.struct", { hasText: "col_point" });
  assert.match((await point.allInnerTexts()).join(" "), /the engine has no further tests/);
});
