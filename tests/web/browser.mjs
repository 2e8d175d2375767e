// SPDX-License-Identifier: MIT
// What the browser tests share: a headless Chromium, a page that was opened from disk and is watched,
// and looking at screenshots.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fill } from "./sample.mjs";

const chromiums = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export class Browser {
  static async start({ page, packages }) {
    const { chromium } = createRequire(join(packages, "package.json"))("playwright-core");
    const executablePath = chromiums.find((path) => path && existsSync(path));
    if (!executablePath)
      throw new Error("There is no Chromium: run tools/bootstrap test, or say where it is in CHROMIUM.");
    const self = new Browser();
    // Root may not have a sandbox, and a container may lack shared memory.
    self.browser = await chromium.launch({
      executablePath,
      args: ["--no-sandbox", "--disable-dev-shm-usage", "--font-render-hinting=none"],
    });
    self.template = readFileSync(page, "utf8");
    self.folder = mkdtempSync(join(tmpdir(), "collider-web-"));
    self.canvas = await self.browser.newPage();
    self.closed = [];
    return self;
  }

  async stop() {
    await this.browser.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Writes the data into the page as the command would; returns the file. */
  write(name, data) {
    const file = join(this.folder, name);
    writeFileSync(file, fill(this.template, data));
    return file;
  }

  /** A page that is watched: `heard` collects requests, messages, errors and dialogs. */
  async newPage() {
    const context = await this.browser.newContext();
    const page = await context.newPage();
    page.on("request", (request) => {
      if (!request.url().startsWith("data:")) page.heard.requests.push(request.url());
    });
    page.setDefaultTimeout(600000); // the machine may be busy
    page.on("console", (message) => page.heard.messages.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => page.heard.messages.push(`exception: ${error.message}`));
    page.on("dialog", (dialog) => {
      page.heard.dialogs++;
      dialog.dismiss();
    });
    return page;
  }

  /** Opens a file in a page of its own, or in one that was closed: a new one takes longer than most tests. */
  async open(file, { width = 1440, height = 900, scheme = "light", hash = "" } = {}) {
    const page = this.closed.pop() ?? (await this.newPage());
    page.heard = { requests: [], messages: [], dialogs: 0 };
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: scheme, media: null });
    await page.goto(pathToFileURL(file).href + hash);
    await page.waitForSelector("html[data-ready]");
    return page;
  }

  /** Nothing of what was done in the page is left to the next test. */
  async close(page) {
    await page.evaluate(() => localStorage.clear());
    await page.goto("about:blank");
    this.closed.push(page);
  }

  /** The share of pixels that are not of the most frequent colour, and how many colours there are. */
  async look(png) {
    return this.canvas.evaluate(async (base64) => {
      const image = new Image();
      image.src = `data:image/png;base64,${base64}`;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const draw = canvas.getContext("2d");
      draw.drawImage(image, 0, 0);
      const words = new Uint32Array(draw.getImageData(0, 0, image.width, image.height).data.buffer);
      const counts = new Map();
      for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
      return { inked: 1 - Math.max(...counts.values()) / words.length, colours: counts.size };
    }, png.toString("base64"));
  }
}

/** Brings every chart into the window, so that it is drawn. */
export async function drawAll(page) {
  await page.evaluate(async () => {
    for (const chart of document.querySelectorAll(".chart")) {
      chart.scrollIntoView();
      while (!chart.querySelector("svg")) await new Promise((done) => setTimeout(done, 10));
    }
    scrollTo(0, 0);
  });
}
