// What `web/games/<game>/draw.ts` may replace: the drawing, part by part, and nothing else.
//
// Such a file says `export default hook` with a `const hook: DrawHook = { body(picture, body) { … } }`. Parts that it does
// not have are drawn as the welcome declares; names, bars, HUD, controls and actions are always the page's. A part that
// throws is not asked again, and the page draws in its place. `scripts/build-web.sh` bundles it.

import type { Camera } from "./camera.ts";
import type { Body, Effect, Frame } from "./frame.ts";
import type { AreaRow, Value, Welcome } from "./protocol.ts";

export type { AreaRow, Body, Camera, Effect, Frame, Value, Welcome };

/** What is there to draw from. All of it is the page's: read, never written. */
export interface Picture {
  /** CSS pixels with y down; `camera.sx`, `camera.sy` and `camera.scale` lead there from metres. */
  c: CanvasRenderingContext2D;
  camera: Camera;
  width: number;
  height: number;
  welcome: Welcome;
  frame: Frame;
  names: Map<number, string>;
  shared: Record<string, Record<string, Value>>;
  /** Seconds since the last frame; and since the page began, for what moves by itself. */
  dt: number;
  time: number;
}

export interface DrawHook {
  /** The ground with what stands on it, each frame. */
  ground?(picture: Picture): void;
  area?(picture: Picture, area: AreaRow): void;
  /** A body, without its name and bar. */
  body?(picture: Picture, body: Body): void;
  /** Called once, in the frame in which the effect is due; its sound is the page's. */
  effect?(picture: Picture, effect: Effect): void;
  /** Over everything that is drawn. */
  over?(picture: Picture): void;
}

/** Where the build puts the files of games, and the list of them. */
const GAMES = "/assets/games";

/** The files that the build found for a game; none when there is no list. */
export async function gameFiles(game: string): Promise<string[]> {
  try {
    const answer = await fetch(`${GAMES}/manifest.json`);
    const listed = answer.ok ? ((await answer.json()) as Record<string, string[]>) : {};
    return listed[game] ?? [];
  } catch {
    return [];
  }
}

/** A game's own drawing, if the build made one. */
export async function loadHook(game: string): Promise<DrawHook | null> {
  if (!(await gameFiles(game)).includes("draw.js")) return null;
  try {
    const url = fileOf(game, "draw.js");
    return ((await import(url)) as { default?: DrawHook }).default ?? null;
  } catch (error) {
    console.error(`the drawing of ${game} could not be loaded`, error);
    return null;
  }
}

/** The URL of a file of a game, such as a sprite. */
export const fileOf = (game: string, file: string): string => `${GAMES}/${game}/${file}`;
