// web/src/session.ts over a storage and a server of our own: how a page keeps its account.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

const DAY_MS = 86_400_000;
const KEY = "roundtable:session";
const kept = new Map();
/** What the page asked the server for, and what that answers. */
let asked;
let answer;

globalThis.window = {
  localStorage: {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
    removeItem: (key) => kept.delete(key),
  },
};
globalThis.fetch = async (path, { method, headers, body }) => {
  asked.push(body === undefined ? [method, path, headers] : [method, path, headers, JSON.parse(body)]);
  return new Response(JSON.stringify(answer), { status: answer ? 201 : 401 });
};
const { keptSession, makeCode, newSession, renewSession, takeCode } = await import("../../web/src/session.ts");

/** A session of so many days, as the Worker signs it. */
function session(account, days) {
  const claim = Buffer.from(`${account}.${Date.now() + days * DAY_MS}`).toString("base64url");
  return { account, token: `${claim}.mac` };
}

beforeEach(() => {
  kept.clear();
  asked = [];
  answer = null;
});

function keep(made) {
  kept.set(KEY, JSON.stringify(made));
  return made;
}

test("a token that has lived half its life is renewed for the same account", async () => {
  const old = keep(session("a_-d", 44));
  answer = session("a_-d", 90);
  await renewSession();
  assert.deepEqual(asked, [["POST", "/api/session", { authorization: `Bearer ${old.token}` }]]);
  assert.equal(keptSession(), answer.token);
  await renewSession();
  assert.equal(asked.length, 1, "the fresh one is not");
});

test("a young token is left alone, and so is what is no token of ours", async () => {
  for (const token of [session("ada", 46).token, "x", "", "a.b.c"]) {
    keep({ account: "ada", token });
    await renewSession();
  }
  kept.clear();
  await renewSession();
  assert.deepEqual(asked, []);
});

test("a renewal that is refused, or of another account, changes nothing", async () => {
  const old = keep(session("ada", 1));
  for (const given of [null, session("eve", 90), { account: "ada" }]) {
    answer = given;
    await renewSession();
    assert.equal(keptSession(), old.token);
  }
});

test("a session that a room refused is replaced by a guest's, without its token being said", async () => {
  const old = keep(session("ada", 80));
  answer = session("eve", 90);
  assert.equal(await newSession(old.token), answer.token);
  assert.deepEqual(asked, [["POST", "/api/session", {}]]);
  assert.equal(await newSession(old.token), answer.token, "another tab has it already");
  assert.equal(asked.length, 1);
  assert.equal(JSON.parse(kept.get("roundtable:session:former")).account, "ada");
});

test("a code is made for the account that is here, and one from elsewhere replaces it", async () => {
  assert.equal(await makeCode(), null);
  assert.deepEqual(asked, [], "there is no account to make one for");
  const own = keep(session("ada", 80));
  answer = { code: "abcdefgh", expires_at: 1 };
  assert.equal(await makeCode(), "abcdefgh");
  assert.deepEqual(asked.pop(), ["POST", "/api/session/code", { authorization: `Bearer ${own.token}` }]);
  answer = null;
  assert.equal(await makeCode(), null);
  assert.equal(await takeCode("hgfedcba"), false);
  assert.equal(keptSession(), own.token);
  answer = session("eve", 90);
  assert.equal(await takeCode("hgfe dcba"), true);
  assert.deepEqual(asked.pop(), ["POST", "/api/session", { "content-type": "application/json" }, { code: "hgfe dcba" }]);
  assert.deepEqual([keptSession(), JSON.parse(kept.get("roundtable:session:former")).account], [answer.token, "ada"]);
});
