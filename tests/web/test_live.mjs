// SPDX-License-Identifier: MIT
// A campaign watched in a browser:  node test_live.mjs COLLIDER PLAN PAGE PACKAGES
// The page of `collider serve` shows what runs, and what is new, without being loaded again.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { Browser } from "./browser.mjs";
import { eventually, serve, start } from "./server.mjs";

const [collider, plan, built, packages] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "collider-live-"));
const store = join(folder, "results.db");
let browser, server, campaign, page;

before(async () => {
  browser = await Browser.start({ page: built, packages });
  // A shard first, so that there is something, and something more to come.
  // Should the endless trial be in it, it fails, and is run again.
  spawnSync(
    collider,
    ["campaign", plan, "--quiet", "--shard", "1/4", "--jobs", "1", "--trial-limit", "2s", "--out", store],
    { timeout: 1500000 },
  );
});
after(async () => {
  await campaign?.stop("SIGKILL");
  await server?.stop();
  await browser?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const status = () => page.textContent(".live-status");
const doneOf = async () => Number(/^([\d,]+) of/.exec(await status())?.[1].replace(/,/g, ""));

test("the page is served, asks nobody else, and says what there is", async () => {
  server = await serve(collider, [store]);
  page = await browser.newPage();
  page.heard = { requests: [], messages: [], dialogs: 0 };
  await page.goto(server.url.href);
  await page.waitForSelector("html[data-ready]");
  assert.match(await status(), /^\d+ of 13 trials done.*; 0 running$/);
  assert.equal(await page.locator("[data-table=running]").count(), 0);
  assert.ok(page.heard.requests.every((url) => new URL(url).origin === server.url.origin));
});

test("new trials appear without a reload, and running ones with their coverage so far", async () => {
  const first = await doneOf();
  await page.evaluate(() => (window.sameDocument = true));
  campaign = start(collider, ["campaign", plan, "--resume", "--retry", "--quiet", "--jobs", "2", "--out", store]);
  await eventually(doneOf, (done) => done === 12 && done > first, "not all trials appeared");
  const cells = () => page.$$eval("[data-table=running] tbody tr", (rows) => rows.map((row) => row.textContent));
  const rows = await eventually(cells, (all) => all.length === 1 && /[1-9][\d.]* %/.test(all[0]), "no coverage so far");
  assert.match(rows[0], /mtg/);
  const value = () => page.$eval("[data-table=running] progress", (bar) => bar.value);
  assert.ok((await value()) > 0);
  assert.equal(await page.evaluate(() => window.sameDocument), true, "the page was not loaded again");
});

test("a failure can be opened with its picture while the campaign runs, and stays open", async () => {
  const failure = page.locator(".failure").nth(1);
  await failure.locator("summary").first().click();
  const picture = failure.locator("img");
  await picture.scrollIntoViewIfNeeded();
  assert.ok(await picture.evaluate((image) => image.decode().then(() => image.naturalWidth > 50)));
  assert.equal(campaign.child.exitCode, null, "the campaign runs");
  await campaign.stop("SIGINT");
  await eventually(status, (text) => text.endsWith("; 0 running"), "it still runs");
  assert.ok(await picture.isVisible());
});

test("without its server the page keeps what it has, and says so", async () => {
  const done = await doneOf();
  const end = await server.stop("SIGINT");
  assert.deepEqual(end, { status: 0, signal: null });
  await eventually(status, (text) => text.includes("does not answer"), "nothing is said");
  assert.equal(await doneOf(), done);
  assert.deepEqual(page.heard.messages.filter((line) => !line.includes("ERR_CONNECTION_REFUSED")), []);
  assert.equal(page.heard.dialogs, 0);
});
