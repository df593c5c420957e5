// A drawing of its own for the invented fair: bodies are squares, one part fails, the rest is the page's.

import type { DrawHook } from "../../web/src/draw-hook.ts";

const drawn = { bodies: 0, areas: 0 };
Object.assign(window, { drawn });

const hook: DrawHook = {
  body({ c, camera }, body) {
    const r = body.info.radius * camera.scale;
    c.fillStyle = body.seat === null ? "#8a94a6" : "#f0f";
    c.fillRect(camera.sx(body.x) - r, camera.sy(body.y) - r, r * 2, r * 2);
    drawn.bodies += 1;
  },
  area() {
    drawn.areas += 1;
    throw new Error("a drawing that fails");
  },
};

export default hook;
