// Copyright: Contributors to the community.seventhings collection
// SPDX-License-Identifier: GPL-3.0-or-later

// Open pages in a browser as accessibility.py names them, and print one line of JSON for each view.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import puppeteer from "puppeteer-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const [executablePath, ...pages] = process.argv.slice(2);
const browser = await puppeteer.launch({ executablePath, args: ["--no-sandbox"] });
for (const path of pages) {
  for (const width of [1280, 375]) {
    for (const scheme of ["light", "dark"]) {
      const page = await browser.newPage();
      // axe is put into the page, whose own policy runs no script.
      await page.setBypassCSP(true);
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await page.setViewport({ width, height: 800 });
      const started = performance.now();
      await page.goto(`file://${path}`, { waitUntil: "domcontentloaded", timeout: 60000 });
      await page.evaluate(() => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen))));
      const seen = Math.round(performance.now() - started);
      const overflows = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
      await page.evaluate(axe);
      const found = await page.evaluate((tags) => axe.run(document, { runOnly: tags }), rules);
      const violations = found.violations.map((one) => `${one.id} (${one.nodes.length}): ${one.nodes[0].html.slice(0, 120)}`);
      console.log(JSON.stringify({ page: path, width, scheme, seen, overflows, violations }));
      await page.close();
    }
  }
}
await browser.close();
