// SPDX-License-Identifier: MIT
// The report's page in a browser, from disk:  node test_page.mjs PAGE PACKAGES [REPORT]
// PAGE is the built page, PACKAGES the folder of Node packages, REPORT a page made by the command.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test, { after, before } from "node:test";
import { Browser, drawAll } from "./browser.mjs";
import { contrasts } from "./contrast.mjs";
import { empty, sample } from "./sample.mjs";

const [built, packages, report] = process.argv.slice(2);
let browser, file, still; // still: an open page for the tests that only look at it
before(async () => {
  browser = await Browser.start({ page: built, packages });
  file = browser.write("sample.html", sample());
  still = await browser.open(file);
  await drawAll(still);
});
after(() => browser?.stop());

const texts = (page, selector) => page.$$eval(selector, (all) => all.map((one) => one.textContent.trim()));
/** Reads until what was read is wanted, as a chart draws in the browser's next frame; gives up after ten minutes. */
const eventually = async (read, wanted, what) => {
  const until = Date.now() + 600000;
  let got = await read();
  while (!wanted(got) && Date.now() < until) {
    await new Promise((done) => setTimeout(done, 10));
    got = await read();
  }
  assert.ok(wanted(got), `${what}: ${got}`);
  return got;
};
const hash = (page) => page.evaluate(() => decodeURIComponent(location.hash));

test("loads from disk, asks for nothing, complains of nothing, runs nothing of the data's", async () => {
  const page = still;
  await page.locator("#failures").scrollIntoViewIfNeeded();
  await page.locator(".failure summary", { hasText: "shrunk" }).first().click();
  assert.deepEqual(
    page.heard.requests.filter((url) => !url.startsWith("file:") || !url.endsWith("sample.html")),
    [],
  );
  assert.deepEqual(page.heard.messages, []);
  assert.equal(page.heard.dialogs, 0);
  assert.equal(await page.locator("img[onerror]").count(), 0);
  assert.ok(
    (await texts(page, "[data-table=failed] th")).includes("<img src=x onerror=alert(1)>"),
    "markup in data is shown as text",
  );
  assert.match(
    await page.getAttribute("meta[http-equiv=Content-Security-Policy]", "content"),
    /^default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-[^']+';/,
  );
  // The policy holds: neither a request nor a script of any other text gets through.
  const blocked = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.body.append(script);
    return fetch("https://example.org/").then(
      () => "fetched",
      () => (window.ran ? "ran" : "blocked"),
    );
  });
  assert.equal(blocked, "blocked");
});

test("every chart is drawn, and is what its kind must have", async () => {
  const page = still;
  const charts = page.locator(".chart");
  assert.equal(await charts.count(), 5); // two evolutions, a box plot, two learning curves
  for (let i = 0; i < 5; i++) {
    const chart = charts.nth(i);
    const { inked, colours } = await browser.look(await chart.screenshot());
    assert.ok(
      inked > 0.005 && inked < 0.8 && colours > 10,
      `chart ${i}: ${inked} of its pixels are drawn, in ${colours} colours`,
    );
    assert.match(await chart.getAttribute("aria-label"), /^(Line chart|Box plots), .+: .*htg|dqg-corf/);
  }
  const { lines, bands } = await charts.nth(0).evaluate((chart) => ({
    lines: [...chart.querySelectorAll("path")].filter((path) => path.getAttribute("stroke-width") === "1.9").length,
    bands: [...chart.querySelectorAll("path")].filter(
      (path) =>
        path.getAttribute("fill-opacity") === "0.13" ||
        path.getAttribute("opacity") === "0.13" ||
        path.style.opacity === "0.13",
    ).length,
  }));
  assert.equal(lines, 6, "a line for each engine");
  assert.equal(bands, 6, "a band for each engine");
  assert.equal(await page.locator("table.heat").count(), 2);
});

test("a filter acts on everything, stays in the address, and can be undone", async () => {
  const page = await browser.open(file);
  assert.deepEqual(await texts(page, "figure:first-of-type .legend:first-of-type button >> nth=0"), ["plain"]);
  const heads = () => texts(page, "[data-table=time-to-error] thead th");
  assert.deepEqual(await heads(), ["design", "error", "plain", "plain-bias", "chain-bias", "htg", "mtg", "dqg-corf"]);
  const engine = page.locator(".axis", { has: page.locator(".axis-name", { hasText: "engine" }) });
  await engine.getByRole("button", { name: "No value of engine" }).click();
  assert.match(await page.textContent("[role=status]"), /^Showing 0 of 60 groups/);
  assert.equal(await page.locator(".chart").count(), 0);
  await engine.getByLabel("htg", { exact: true }).check();
  await page.locator(".axis").getByLabel("D9", { exact: true }).uncheck();
  assert.equal(
    await hash(page),
    "#engine=htg&error=D1&error=D3&error=D4&error=D7&error=E.4.2&error=MC-1&error=MC-5&error=",
  );
  assert.deepEqual(await heads(), ["design", "error", "htg"]);
  assert.ok(!(await texts(page, "[data-table=time-to-error] tbody td")).includes("D9"));
  assert.deepEqual(await texts(page, "#evolution >> xpath=ancestor::section >> .legend button"), ["htg", "htg"]);
  assert.deepEqual(await texts(page, ".by-label tbody th"), ["htg"]);
  assert.equal(await page.locator(".failure").count(), 0, "failures of other engines are gone");
  const main = await page.textContent("main"),
    address = await hash(page);
  await page.reload();
  await page.waitForSelector("html[data-ready]");
  assert.equal(await page.textContent("main"), main, "a link shows what its sender saw");
  await page.locator("nav a", { hasText: "Failures" }).click();
  assert.equal(await page.evaluate(() => document.activeElement.id), "failures");
  assert.equal(await hash(page), address, "going to a section keeps the filters");
  await page.getByRole("button", { name: "Show all", exact: true }).click();
  assert.equal((await heads()).length, 8);
  assert.equal(await hash(page), "");
  await page.evaluate(() => (location.hash = "engine=mtg"));
  await page.waitForFunction(() => /^Showing 10 of 60/.test(document.querySelector("[role=status]").textContent));
  assert.deepEqual(await heads(), ["design", "error", "mtg"], "an address that is typed is followed");
  await page.getByRole("button", { name: "Show all", exact: true }).click();
  await page.locator(".axis").getByLabel("mesi3", { exact: true }).uncheck();
  assert.equal(await page.locator("table.heat").count(), 1);
  assert.deepEqual(page.heard.messages, []);
  await browser.close(page);
});

test("metric, axis, scale and the meaning of cells can be chosen", async () => {
  const page = await browser.open(file);
  const axis = () =>
    page
      .locator(".chart")
      .first()
      .evaluate((chart) => [...chart.querySelectorAll("text")].map((text) => text.textContent));
  await drawAll(page);
  assert.ok((await axis()).includes("cycles"));
  await page.locator(".choice button", { hasText: "seconds" }).click();
  await page.locator(".choice button", { hasText: "functional" }).first().click();
  await page.locator(".choice button", { hasText: "log" }).click();
  await drawAll(page);
  const chosen = (now) => now.includes("seconds") && now.includes("1,020 reachable");
  await eventually(axis, chosen, "the chart shows what was chosen");
  assert.deepEqual(
    await page.$$eval(".choice button[aria-pressed=true]", (all) => all.map((one) => one.dataset.value)),
    ["functional", "seconds", "log", "functional", "hits"],
  );
  assert.equal(await hash(page), "#show-metric=functional&show-against=seconds&show-steps=log");
  const cell = page.locator("table.heat td[role=gridcell][class^=heat]").first();
  const hits = await cell.textContent();
  await page.locator(".choice button", { hasText: "first test" }).click();
  assert.notEqual(await cell.textContent(), hits);
  await page.locator(".choice button", { hasText: "reachability" }).click();
  assert.deepEqual(
    new Set(await texts(page, "table.heat >> nth=0 >> td[role=gridcell]")),
    new Set(["", "●", "○", "?", "×"]),
  );
  assert.deepEqual(page.heard.messages, []);
  await browser.close(page);
});

test("tables sort by any column, missing and censored last, and numbers are offered as tables", async () => {
  const page = still;
  const column = (n) => texts(page, `[data-table=time-to-error] tbody tr > :nth-child(${n})`);
  const head = page.locator("[data-table=time-to-error] thead button").nth(2);
  await head.click();
  const value = (text) => Number(text.match(/[\d.]+/)[0]) * (/^[> \d.]+ M/.test(text) ? 1e6 : 1e3);
  const rising = await column(3);
  assert.deepEqual(
    rising.map(value),
    rising.map(value).sort((a, b) => a - b),
  );
  assert.match(rising[rising.length - 1], /^> 20 M/);
  assert.equal(await page.getAttribute("[data-table=time-to-error] th[aria-sort]", "aria-sort"), "ascending");
  await head.click();
  assert.deepEqual(await column(3), [...rising].reverse());
  const best = await page.$$eval("[data-table=time-to-error] tbody tr", (rows) =>
    rows.map((row) => row.querySelectorAll("strong").length),
  );
  assert.deepEqual(
    best,
    best.map(() => 1),
  );
  await page.locator("figure button", { hasText: "Show as table" }).first().click();
  const numbers = await page.$$eval(".as-table >> nth=0 >> tr", (rows) => rows.map((row) => row.children.length));
  assert.deepEqual(new Set(numbers), new Set([7]));
  assert.equal(numbers.length, 31);
  await page.locator(".as-table button", { hasText: "more" }).click();
  assert.equal(await page.locator(".as-table tbody tr").count(), 60);
});

test("everything can be done with the keyboard, and the focus can be seen", async () => {
  const page = await browser.open(file, { height: 1000 });
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the results");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "main");
  const seen = [];
  for (let i = 0; i < 45; i++) {
    await page.keyboard.press("Tab");
    seen.push(
      await page.evaluate(() => {
        const now = document.activeElement,
          style = getComputedStyle(now);
        return {
          name: now.textContent.trim().slice(0, 20),
          kind: now.className,
          outline: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
        };
      }),
    );
  }
  assert.deepEqual(
    seen.filter((stop) => !stop.outline),
    [],
  );
  for (const name of ["seconds", "log", "plain", "Show as table"])
    assert.ok(
      seen.some((stop) => stop.name === name),
      `Tab comes to ${name}`,
    );
  const chart = page.locator(".chart").first();
  await chart.focus();
  const labels = () =>
    chart.evaluate((one) => [...one.querySelectorAll("text")].map((text) => text.textContent).join("|"));
  const whole = await eventually(labels, (now) => now.includes("cycles"), "a chart is drawn when it comes into sight");
  await page.keyboard.press("+");
  const zoomed = await eventually(labels, (now) => now !== whole, "+ zooms");
  await page.keyboard.press("ArrowRight");
  await eventually(labels, (now) => now !== zoomed && now !== whole, "an arrow moves");
  await page.keyboard.press("0");
  await eventually(labels, (now) => now === whole, "0 shows everything again");
  await page.locator(".legend button", { hasText: /^htg$/ }).first().focus();
  await page.keyboard.press("Space");
  await eventually(labels, (now) => !now.includes("htg"), "Space hides an engine");
  await page.locator("table.heat td[tabindex='0']").first().focus();
  for (const key of ["ArrowRight", "ArrowDown", "ArrowRight", "ArrowUp", "Home", "End", "ArrowRight", "ArrowDown"])
    await page.keyboard.press(key);
  assert.match(
    await page.evaluate(() => document.activeElement.getAttribute("aria-label")),
    /^S × Flush: 185,\d+ hits, first in test/,
  );
  assert.match(await page.textContent(".cell-status >> nth=0"), /^S × Flush/);
  await page.keyboard.press("Tab");
  assert.notEqual(
    await page.evaluate(() => document.activeElement.closest("table.heat")?.getAttribute("aria-label")),
    "Protocol table of L1Cache, mesi3",
    "the table is one stop",
  );
  await browser.close(page);
});

for (const scheme of ["light", "dark"])
  test(`${scheme}: nothing is too wide, nothing is empty, all text can be read`, async () => {
    const page = await browser.open(file, { scheme });
    await drawAll(page);
    for (const [width, height] of [
      [1440, 900],
      [768, 1024],
      [360, 740],
    ]) {
      await page.setViewportSize({ width, height });
      const widest = () => page.evaluate(() => document.documentElement.scrollWidth);
      await eventually(widest, (wide) => wide <= width, `the page in a window of ${width} is as wide as`);
      const { inked, colours } = await browser.look(await page.screenshot());
      assert.ok(
        inked > 0.02 && inked < 0.6 && colours > 50,
        `${width}: ${inked} of the pixels are drawn, in ${colours} colours`,
      );
      const { poor, count } = await page.evaluate(contrasts);
      assert.deepEqual(poor, [], `at ${width}`);
      assert.ok(count > 300, `${count} texts were measured`);
    }
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before = await paper(),
      other = scheme === "dark" ? "light" : "dark";
    await page.selectOption("#theme", other);
    assert.notEqual(await paper(), before);
    await page.reload();
    await page.waitForSelector("html[data-ready]");
    assert.notEqual(await paper(), before, "the choice is remembered");
    assert.equal(await page.inputValue("#theme"), other);
    await browser.close(page);
  });

test("headings, landmarks and names are in order", async () => {
  const page = still;
  const found = await page.evaluate(() => ({
    lang: document.documentElement.lang,
    h1: document.querySelectorAll("h1").length,
    levels: [...document.querySelectorAll("h1, h2, h3")].map((one) => Number(one.tagName[1])),
    landmarks: ["header", "nav", "main", "aside", "footer"].map((name) => document.querySelectorAll(name).length),
    sections: [...document.querySelectorAll("main > section")].every(
      (one) => document.getElementById(one.getAttribute("aria-labelledby"))?.tagName === "H2",
    ),
    nameless: [...document.querySelectorAll("button, a, select, input, img, [role=img], [role=region], summary")]
      .filter(
        (one) =>
          !(one.getAttribute("aria-label") || one.alt || one.textContent.trim() || one.labels?.[0]?.textContent.trim()),
      )
      .map((one) => one.outerHTML.slice(0, 80)),
    twice: [...document.querySelectorAll("[id]")].map((one) => one.id).filter((id, i, all) => all.indexOf(id) !== i),
  }));
  assert.equal(found.lang, "en");
  assert.equal(found.h1, 1);
  assert.ok(
    found.levels.every((level, i) => i === 0 || level - found.levels[i - 1] <= 1),
    found.levels.join(),
  );
  assert.deepEqual(found.landmarks, [1, 1, 1, 1, 1]);
  assert.ok(found.sections);
  assert.deepEqual(found.nameless, []);
  assert.deepEqual(found.twice, []);
});

test("the shrunk test can be copied; pictures are images", async () => {
  const page = still;
  await page.getByRole("button", { name: "Copy: litmus test" }).first().click();
  await page.waitForFunction(() =>
    [...document.querySelectorAll("button[aria-label='Copy: litmus test']")].some((button) =>
      /Copied|Selected/.test(button.textContent),
    ),
  );
  assert.equal(await page.locator(".picture svg").count(), 0);
  assert.equal(await page.locator(".picture img[src^='data:image/svg+xml']").count(), 3);
});

test("a failure says what it is and how to see it again", async () => {
  const page = still;
  const commands = page.locator(".failure .command code");
  assert.deepEqual(await commands.allTextContents(), [
    "collider replay results.db --failure 1",
    "collider replay results.db --failure 2",
  ]); // of the third no program was kept
  await page.getByRole("button", { name: "Copy: see it again" }).first().click();
  assert.deepEqual(await texts(page, ".failure >> nth=2 >> .fingerprint"), [
    "mesi3, violation: A: load x -fr-> A: store x -fence->",
  ]);
});

test("it prints, in light colours, with every chart", async () => {
  const page = await browser.open(file, { scheme: "dark" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
  const charts = () =>
    page.$$eval(".chart", (all) =>
      all.map((chart) => {
        const [outer, inner] = [chart, chart.querySelector("svg")].map((one) => one?.getBoundingClientRect());
        return inner?.height > 150 && outer.height > inner.height - 1 && inner.right <= outer.right + 1;
      }),
    );
  await eventually(charts, (fit) => fit.length === 5 && fit.every(Boolean), "charts have their place on paper");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
  await page.setViewportSize({ width: 718, height: 1000 }); // A4 without its margins
  const wide = await page.$$eval("[data-table] table, .picture img", (all) =>
    all.filter((one) => one.getBoundingClientRect().right > 718).map((one) => one.outerHTML.slice(0, 80)),
  );
  assert.deepEqual(wide, [], "tables and pictures fit on paper");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ media: "screen" });
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  const pdf = await page.pdf({ format: "A4", printBackground: true });
  assert.ok(pdf.length > 50000, `${pdf.length} bytes`);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark", "the choice is as before");
  await browser.close(page);
});

test("an empty report says so, section by section", async () => {
  const page = await browser.open(browser.write("empty.html", empty), { width: 360 });
  assert.match(await page.textContent("main"), /holds no finished trial yet/);
  const bodies = await texts(page, "main > section .section-body");
  assert.ok(bodies.length >= 9 && bodies.every((text) => text.length > 10));
  assert.equal(await page.locator(".chart").count(), 0);
  assert.deepEqual(page.heard.messages, []);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360);
  await browser.close(page);
});

test("two thousand groups and five megabytes stay usable", async (t) => {
  const large = sample({ groupsPerEngine: 332, points: 1000, failures: 250 });
  const original = large.evolutions[0];
  for (let i = 0; i < 30; i++) large.evolutions.push({ ...original, title: `design ${i}` });
  const name = browser.write("large.html", large);
  assert.ok(large.groups.length >= 2000 && readFileSync(name).length > 5e6);
  // How long a machine takes depends on what else it does: the small page is the measure.
  const measure = async (which) => {
    const start = performance.now();
    const page = await browser.open(which);
    const loading = performance.now() - start;
    const counts = await page.evaluate(() => ({
      drawn: document.querySelectorAll(".chart svg").length,
      nodes: document.querySelectorAll("*").length,
    }));
    const filtering = await page.evaluate(() => {
      const before = performance.now();
      [...document.querySelectorAll(".axis")]
        .find((axis) => axis.textContent.startsWith("engine"))
        .querySelector("input[type=checkbox]")
        .click();
      return performance.now() - before;
    });
    await browser.close(page);
    return { loading, filtering, ...counts };
  };
  const small = await measure(file),
    big = await measure(name);
  t.diagnostic(
    `loading ${small.loading.toFixed()} and ${big.loading.toFixed()} ms, filtering ${small.filtering.toFixed()} and ${big.filtering.toFixed()} ms, ${small.nodes} and ${big.nodes} elements`,
  );
  assert.ok(big.drawn <= 6, `${big.drawn} charts are drawn before anyone looks`);
  assert.ok(big.nodes < 15000, `${big.nodes} elements`);
  assert.ok(big.loading < 10 * small.loading, `loading took ${big.loading} ms, the small page ${small.loading} ms`);
  assert.ok(
    big.filtering < 20 * small.filtering,
    `filtering took ${big.filtering} ms, of the small page ${small.filtering} ms`,
  );
});

test("one run: failures by bug, coverage and holes, then the rest, and no statistics", async () => {
  const data = sample({ groupsPerEngine: 1 });
  const text = (value) => ({ text: value });
  const table = (id, names, rows) => ({
    id,
    title: id,
    columns: names.map((name) => ({ name, kind: "text" })),
    rows: rows.map((cells) => ({ group: null, cells: cells.map(text) })),
  });
  const failure = { ...data.failures[0], count: 31, instance: 0, cycles: 0, seconds: 0, fingerprint: "E Store needs x" };
  const run = {
    ...data,
    run: true,
    groups: data.groups.slice(0, 1),
    axes: [],
    boxes: [],
    learning: [],
    tables: [
      table("failure-kinds", ["failures", "bug"], [["31", "bug-1"]]),
      table("coverage", ["machine", "never taken"], [["L1Cache", "I/Load"]]),
      table("run", ["what", "value"], [["verdict", "violation"]]),
    ],
    failures: [
      { ...failure, command: "collider replay night/bug-1", mend: "{ at: L0Cache/E/Store, plus: [x] }" },
      { ...failure, operations: 0, count: 1, command: "collider replay night/failure-2-1" },
    ],
  };
  const page = await browser.open(browser.write("run.html", run));
  await drawAll(page);
  assert.deepEqual(page.heard.messages, []);
  assert.deepEqual(await texts(page, "main > section h2"), [
    "Failures",
    "Coverage and holes",
    "Protocol tables",
    "Coverage evolution",
    "The run",
    "Provenance",
  ]);
  assert.deepEqual(await texts(page, ".failure h3"), [
    `${failure.verdict} 31 failures: E Store needs x`,
    `${failure.verdict} 1 failure: E Store needs x`,
  ]);
  assert.deepEqual(await texts(page, ".failure .command code"), [
    "collider replay night/bug-1",
    "{ at: L0Cache/E/Store, plus: [x] }",
    "collider replay night/failure-2-1",
    "collider shrink night/failure-2-1",
  ]);
  assert.doesNotMatch(await page.locator("main").innerText(), /median|quartile|seeds|instance 0|after 0/i);
  assert.equal(await page.locator(".filters").count(), 0, "there is nothing to filter");
  const { poor } = await page.evaluate(contrasts);
  assert.deepEqual(poor, []);
  await browser.close(page);
});

test("a page of the command's own making", { skip: !report && "no page was given" }, async () => {
  const page = await browser.open(report);
  for (const width of [360, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await drawAll(page);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
    const { poor } = await page.evaluate(contrasts);
    assert.deepEqual(poor, []);
  }
  assert.deepEqual(page.heard.messages, []);
  assert.equal(page.heard.requests.length, 1);
  assert.ok((await page.locator(".chart svg").count()) >= 1, "there is a chart");
  assert.ok((await page.locator("table.heat").count()) >= 1, "there is a protocol table");
  assert.match(
    (await texts(page, ".failure .command code"))[0],
    /^collider replay results\.db --failure [0-9]+$/,
  );
  assert.match((await texts(page, "[data-table=failure-kinds] td")).join(" "), /collider replay results\.db --failure /);
  // What this campaign had nothing of is said once, not section by section.
  const titles = await texts(page, "main > section h2");
  assert.ok(!titles.includes("Mutants") && titles.at(-1) === "Not in this report", titles.join());
  const missing = await texts(page, "#nothing >> xpath=ancestor::section >> li");
  assert.ok(missing.includes("Mutants: No trial of this report ran a mutant."), missing.join());
  // A comparison of two engines goes with either of them.
  const compared = () => page.locator("[data-table=comparisons] tbody tr").count();
  assert.ok((await compared()) >= 1, "engines are compared");
  await page.locator(".axis").getByLabel("chain-bias", { exact: true }).uncheck();
  assert.equal(await compared(), 0);
  await browser.close(page);
});
