// Pictures that a game brings along. One that is not there (yet) leaves the body a disc.

import { fileOf } from "./draw-hook.ts";

const NAME = /^[\w.-]+$/;

const images = new Map<string, HTMLImageElement>();

/** The picture, once it is loaded. */
export function sprite(game: string, file: string): HTMLImageElement | null {
  if (!NAME.test(file)) return null;
  const url = fileOf(game, file);
  let image = images.get(url);
  if (!image) {
    image = new Image();
    image.src = url;
    images.set(url, image);
  }
  return image.complete && image.naturalWidth > 0 ? image : null;
}
