/** Where `make dev` finds and puts things, as its environment says. */

import { join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");
export const PORT = Number(process.env.PORT ?? 8787);
export const STATE = resolve(ROOT, process.env.STATE ?? ".wrangler/state");
/** Builds and the configuration that names the one that plays; all of it can be made anew. */
export const BUILT = join(ROOT, "target/dev");
export const CONFIG = join(BUILT, "wrangler.toml");
// wrangler needs a newer Node than these scripts may run under: the one that npm installed.
export const NODE = join(ROOT, "node_modules/.bin/node");
// Not bin/wrangler.js: that is a parent which, killed, leaves the server running.
export const WRANGLER = join(ROOT, "node_modules/wrangler/wrangler-dist/cli.js");
export const ENVIRONMENT = { ...process.env, CLOUDFLARE_CF_FETCH_ENABLED: "false" };
