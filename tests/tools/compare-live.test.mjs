// scripts/compare-live.sh against a /health of our own: what `make deploy` does before it uploads anything.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { after, before, test } from "node:test";

const root = new URL("../../", import.meta.url).pathname;
let server;
let url;
let answer = { status: 200, body: "{}" };

before(async () => {
  server = createServer((request, response) => {
    response.writeHead(request.url === "/health" ? answer.status : 404);
    response.end(answer.body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${server.address().port}`;
});

after(() => server.close());

/** Runs the script; resolves to its exit code and all it said. */
function compare(env) {
  return new Promise((resolve) => {
    const child = spawn("sh", ["scripts/compare-live.sh"], { cwd: root, env: { ...process.env, ...env } });
    let said = "";
    child.stdout.on("data", (data) => (said += data));
    child.stderr.on("data", (data) => (said += data));
    child.on("close", (code) => resolve({ code, said }));
  });
}

/** The schema record of one kind with one durable whole number from 0 to 9, as src/rules/save/layout.rs writes it. */
function record(kind, field) {
  const text = (name) => [name.length, ...Buffer.from(name)];
  const bytes = [1, ...text(kind), 0, 1, ...text(field), 1, 1, 0, 18];
  return Buffer.from(bytes).toString("base64url");
}

function health(fields) {
  answer = { status: 200, body: JSON.stringify({ ok: true, games: { isle: { schema: "0", fields } } }) };
}

test("a dropped durable field stops it, and DROP lets it pass", async () => {
  health(record("cairn", "stones"));
  const stopped = await compare({ URL: url });
  assert.notEqual(stopped.code, 0);
  assert.match(stopped.said, /cairn\.stones is durable and is dropped \(DROP=cairn\.stones\)/);
  assert.match(stopped.said, /nothing was deployed/);
  const named = await compare({ URL: url, DROP: "cairn.stones" });
  assert.equal(named.code, 0, named.said);
});

test("a live build that says nothing of its saves is passed over with a word", async () => {
  answer = { status: 200, body: '{"ok":true}' };
  const { code, said } = await compare({ URL: url });
  assert.equal(code, 0, said);
  assert.match(said, /not compared/);
});

test("a Worker that does not answer stops it", async () => {
  answer = { status: 503, body: "" };
  const away = await compare({ URL: url });
  assert.notEqual(away.code, 0);
  assert.match(away.said, /status 503/);
  assert.match(away.said, /URL=none/);
  const nowhere = await compare({ URL: "http://127.0.0.1:1" });
  assert.notEqual(nowhere.code, 0);
});
