/** Chromium pages on a room: a phone with touch and a desktop with keys, and what can be read off them. */

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { chromium } from "playwright-core";

import { ROOT } from "../workerd/harness.mjs";

const ARTEFACTS = join(ROOT, "tests/artefacts");
const ARGUMENTS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];
export const SCREENS = {
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
  lying: { viewport: { width: 844, height: 390 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
  desktop: { viewport: { width: 1280, height: 800 } },
};

/** Headless Chromium with a profile of its own, which ends with it. */
export function launch() {
  const found = process.env.CHROMIUM || execFileSync("sh", [join(ROOT, "scripts/chromium.sh")], { encoding: "utf8" });
  return chromium.launch({ executablePath: found.trim(), headless: true, args: ARGUMENTS });
}

/** Notes the smallest text the page draws on a canvas, in CSS pixels. Runs in the page, before its own code. */
function watchCanvasText() {
  const { fillText } = CanvasRenderingContext2D.prototype;
  window.smallestCanvasText = { px: Infinity, text: "" };
  CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
    const { b, d } = this.getTransform();
    const scale = Math.hypot(b, d) * (this.canvas.clientHeight / this.canvas.height);
    const px = parseFloat(/([\d.]+)px/.exec(this.font)?.[1] ?? "0") * scale;
    if (this.canvas.isConnected && px < window.smallestCanvasText.px) {
      window.smallestCanvasText = { px, text: String(text) };
    }
    return fillText.call(this, text, ...rest);
  };
}

/**
 * Opens a room's page.
 * @param {import("playwright-core").Browser} browser
 * @param {string} url
 * @param {"phone" | "desktop"} screen
 */
export async function open(browser, url, screen, query = "") {
  const context = await browser.newContext(SCREENS[screen]);
  const page = await context.newPage();
  /** @type {string[]} */
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.addInitScript(watchCanvasText);
  await page.goto(url + query);
  return new RoomPage(page, screen, errors);
}

export class RoomPage {
  /**
   * @param {import("playwright-core").Page} page
   * @param {string} screen
   * @param {string[]} errors What the page threw.
   */
  constructor(page, screen, errors) {
    this.page = page;
    this.screen = screen;
    this.errors = errors;
  }

  /** Waits until the page is in its seat with bodies on the ground. */
  async playing(patienceMs = 20_000) {
    await this.page.waitForFunction(
      () => {
        const room = window.roundtable;
        return room?.link()?.state === "online" && room.welcome()?.you && room.bodies().length > 0;
      },
      null, { timeout: patienceMs },
    );
    return this;
  }

  welcome() {
    return this.page.evaluate(() => window.roundtable.welcome());
  }

  link() {
    return this.page.evaluate(() => window.roundtable.link());
  }

  stats() {
    return this.page.evaluate(() => window.roundtable.stats());
  }

  async seat() {
    return (await this.welcome()).you.seat;
  }

  /** A seat's body as this page draws it. */
  body(seat) {
    return this.page.evaluate(
      (wanted) => window.roundtable.bodies().find((body) => body.seat === wanted) ?? null, seat,
    );
  }

  /** Waits until this page draws the bodies of these seats. */
  draws(seats, patienceMs = 10_000) {
    return this.page.waitForFunction(
      (wanted) => wanted.every((seat) => window.roundtable.bodies().some((body) => body.seat === seat)),
      seats, { timeout: patienceMs },
    );
  }

  /** Waits until this page draws a seat's body more than `metres` from a place. */
  movedFrom(seat, { x, y }, metres, patienceMs = 8_000) {
    return this.page.waitForFunction(
      ([wanted, x0, y0, far]) => {
        const body = window.roundtable.bodies().find((one) => one.seat === wanted);
        return body && Math.hypot(body.x - x0, body.y - y0) > far;
      },
      [seat, x, y, metres], { timeout: patienceMs },
    );
  }

  /** Waits for a state of a field of a seat's body. */
  field(seat, name, compare, value, patienceMs = 20_000) {
    return this.page.waitForFunction(
      ([wanted, field, how, limit]) => {
        const got = window.roundtable.bodies().find((one) => one.seat === wanted)?.fields[field];
        return got !== undefined && (how === "below" ? got < limit : got === limit);
      },
      [seat, name, compare, value], { timeout: patienceMs, polling: 30 },
    );
  }

  async shot(name) {
    mkdirSync(ARTEFACTS, { recursive: true });
    await this.page.screenshot({ path: join(ARTEFACTS, `${name}-${this.screen}.png`) });
  }

  /** Visible text smaller than `px`, in the document and on canvases. */
  async smallText(px) {
    return this.page.evaluate((limit) => {
      const small = [];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const parent = node.parentElement;
        if (node.textContent.trim() && parent.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })
          && !["SCRIPT", "STYLE", "NOSCRIPT"].includes(parent.tagName)) {
          const size = parseFloat(getComputedStyle(parent).fontSize);
          if (size < limit) {
            small.push(`${node.textContent.trim().slice(0, 30)}: ${size} px`);
          }
        }
      }
      const { px: drawn, text } = window.smallestCanvasText;
      // Half a hundredth for the rounding of transforms.
      return drawn < limit - 0.005 ? [...small, `canvas ${text}: ${drawn} px`] : small;
    }, px);
  }

  /** A visible element's box, in CSS pixels of the screen. */
  async box(selector) {
    const box = await this.page.locator(selector).first().boundingBox();
    if (!box) {
      throw new Error(`${selector} is not seen`);
    }
    return { left: box.x, top: box.y, right: box.x + box.width, bottom: box.y + box.height };
  }

  /** A finger on the glass. */
  async touch() {
    const session = await this.page.context().newCDPSession(this.page);
    const send = (type, points) => session.send("Input.dispatchTouchEvent", { type, touchPoints: points });
    return {
      down: (x, y) => send("touchStart", [{ x, y }]),
      move: (x, y) => send("touchMove", [{ x, y }]),
      up: () => send("touchEnd", []),
    };
  }
}

/** Whether two boxes have a point in common. */
export const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
