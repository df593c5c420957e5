/** Accounts: sessions and their secrets, an own identity provider, a second device, the account's page, its deletion. */

import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { after, before, describe, test } from "node:test";

import { startServer } from "./harness.mjs";
import { madeUp } from "./joins.mjs";
import { Player } from "./player.mjs";
import { eventually, knowsAccount, lease, record } from "./state.mjs";
import { enter } from "./walker.mjs";

const HOME_MS = 5_000;
const [SESSION, RETURNING, AWAY, TAKEN] = [4010, 4012, 4013, 4014];
const ISSUER = "https://id.example";
const KEYS = generateKeyPairSync("ed25519");
const JWK = JSON.stringify(KEYS.publicKey.export({ format: "jwk" }));
const SHARED = "a secret that the provider shares";
const FORMER = "the secret of before";

const base64 = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** A token of the identity provider. */
function identity(subject, { alg = "EdDSA", claims = {}, key = KEYS.privateKey } = {}) {
  const exp = Math.floor(Date.now() / 1000) + 600;
  const text = `${base64({ alg, typ: "JWT" })}.${base64({ iss: ISSUER, sub: subject, exp, ...claims })}`;
  const signature = alg === "EdDSA" ? sign(null, Buffer.from(text), key) : createHmac("sha256", key).update(text).digest();
  return `${text}.${signature.toString("base64url")}`;
}

/** @type {import("./harness.mjs").Server} */
let server;

before(async () => {
  server = await startServer({
    d1: true,
    vars: { IDENTITY_ISSUER: ISSUER, IDENTITY_KEY: JWK, IDENTITY_ALG: "EdDSA", SESSION_SECRET_FORMER: FORMER },
  });
});

after(() => server?.stop());

const call = (method, path, token, body) => (
  server.http(method, path, { headers: token ? { authorization: `Bearer ${token}` } : {}, body })
);

async function assertRefused(asked, status, code) {
  const answer = await asked;
  assert.deepEqual([answer.status, answer.json?.error?.code], [status, code], answer.text);
  assert.ok(answer.json.error.message.length > 5);
}

/** How a hello ends that is not let in. */
async function refused(room, session) {
  const player = new Player(server, "isle", room, { hello: { session } });
  await player.dial();
  await player.until("the close", () => player.closed);
  return player.closed;
}

describe("sessions", () => {
  test("a token is renewed for the same account, and a former secret still opens", async () => {
    const session = await server.session();
    const renewed = await call("POST", "/api/session", session.token);
    assert.equal(renewed.status, 201);
    assert.equal(renewed.json.account, session.account);
    const old = madeUp({ vars: { SESSION_SECRET: FORMER } }, "former");
    const fresh = await call("POST", "/api/session", old.token);
    assert.deepEqual([fresh.status, fresh.json.account], [201, old.account]);
    assert.notEqual(fresh.json.token, old.token);
    const ada = await enter(server, "former", old, { name: "Ada" });
    ada.cut();
  });

  test("what is forged, expired, cut short or of another key is refused, each by its code", async () => {
    const { token } = await server.session();
    const forged = `${base64(`${"e".repeat(22)}.${Date.now() + 1e9}`)}.${token.split(".")[1]}`;
    for (const [bad, code] of [
      [undefined, "unauthorized"],
      ["x", "session_invalid"],
      [forged, "session_invalid"],
      [token.slice(0, -3), "session_invalid"],
      [token.slice(3), "session_invalid"],
      [madeUp({ vars: { SESSION_SECRET: "another" } }, 1).token, "session_invalid"],
      [madeUp(server, 1, -5).token, "session_expired"],
      [identity("x", { claims: { exp: 5 } }), "session_expired"],
      [identity("x", { claims: { iss: "https://other.example" } }), "session_invalid"],
      [identity("x", { key: generateKeyPairSync("ed25519").privateKey }), "session_invalid"],
      [identity("x", { alg: "HS256", key: JWK }), "session_invalid"],
      [`${base64({ alg: "none" })}.${base64({ iss: ISSUER, sub: "x", exp: 9e9 })}.`, "session_invalid"],
    ]) {
      await assertRefused(call("GET", "/api/me", bad), 401, code);
    }
    assert.ok((await call("GET", "/api/me")).headers["www-authenticate"]);
    await assertRefused(call("POST", "/api/session", undefined, { code: "x".repeat(100_000) }), 413, "too_large");
    for (let i = 0; i < 200; i++) {
      const answer = await call("GET", "/api/me", randomBytes(1 + i).toString("base64url"));
      assert.equal(answer.status, 401);
    }
  });
});

describe("an own identity provider", () => {
  test("its tokens are taken in a hello and over HTTP, and are the same account each time", async () => {
    const me = await call("GET", "/api/me", identity("ada"));
    assert.equal(me.status, 200, me.text);
    const ada = await enter(server, "id", { token: identity("ada") }, { name: "Ada" });
    const gold = await ada.collect(1);
    await ada.leave();
    await eventually("home", () => lease(server, me.json.account)?.room === null, HOME_MS);
    const again = await enter(server, "id-two", { token: identity("ada", { claims: { nbf: 5 } }) }, { name: "Ada" });
    // A coin may lie where one comes ashore.
    assert.ok(again.gold >= gold && again.gold <= gold + 2);
    assert.notEqual((await call("GET", "/api/me", identity("bob"))).json.account, me.json.account);
    again.cut();
    assert.equal((await refused("id", identity("ada", { claims: { exp: 5 } }))).code, SESSION);
  });

  test("a guest is joined to an identity, which then opens its characters", async () => {
    const guest = await server.session();
    const eve = await enter(server, "guest", guest, { name: "Eve" });
    const gold = await eve.collect(1);
    await eve.leave();
    const joined = await call("POST", "/api/session/join", guest.token, { identity: identity("eve") });
    assert.deepEqual([joined.status, joined.json.account], [200, guest.account]);
    assert.equal((await call("POST", "/api/session/join", guest.token, { identity: identity("eve") })).status, 200, "again");
    const { json } = await call("GET", "/api/me", identity("eve"));
    assert.equal(json.account, guest.account);
    const back = await enter(server, "guest-two", { token: identity("eve") }, { name: "Eve" });
    assert.ok(back.gold >= gold && back.gold <= gold + 2);
    back.cut();
    const other = await server.session();
    await assertRefused(call("POST", "/api/session/join", other.token, { identity: identity("eve") }), 409, "already_joined");
    await assertRefused(call("POST", "/api/session/join", other.token, { identity: "x.y.z" }), 401, "session_invalid");
  });

  test("an identity that has characters of its own is not joined over them", async () => {
    const own = await enter(server, "own", { token: identity("own") }, { name: "Own" });
    const guest = await server.session();
    const join = () => call("POST", "/api/session/join", guest.token, { identity: identity("own") });
    await assertRefused(join(), 409, "already_joined");
    const { json } = await call("GET", "/api/me", identity("own"));
    assert.notEqual(json.account, guest.account);
    await own.leave();
    await eventually("home", () => lease(server, json.account)?.room === null, HOME_MS);
    await assertRefused(join(), 409, "already_joined");
    assert.equal((await call("GET", "/api/me", identity("own"))).json.characters.length, 1);
    // Its own account it may be joined to: that says nothing new.
    assert.equal((await call("POST", "/api/session/join", identity("own"), { identity: identity("own") })).status, 200);
  });

  test("a hello of an identity is looked up beside the room, and who is gone by then is given no seat", async () => {
    const session = identity("hasty");
    for (let i = 0; i < 10; i++) {
      const hasty = new Player(server, "isle", "hasty", { hello: { session, name: "Hasty" } });
      await hasty.dial();
      hasty.cut();
    }
    await server.d1Away(true);
    try {
      assert.equal((await refused("hasty", session)).code, AWAY);
    } finally {
      await server.d1Away(false);
    }
    const calm = await enter(server, "hasty", { token: session }, { name: "Hasty" });
    assert.equal((await server.facts("isle", "hasty")).people, 1);
    await calm.leave();
  });

  test("HS256 is verified too, if that is what the operator chose", async () => {
    const hs = await startServer({
      d1: true, vars: { IDENTITY_ISSUER: ISSUER, IDENTITY_KEY: SHARED, IDENTITY_ALG: "HS256", IDENTITY_AUDIENCE: "game" },
    });
    try {
      const ask = (token) => hs.http("GET", "/api/me", { headers: { authorization: `Bearer ${token}` } });
      const good = identity("ada", { alg: "HS256", key: SHARED, claims: { aud: ["game", "x"] } });
      assert.equal((await ask(good)).status, 200);
      assert.equal((await ask(identity("ada", { alg: "HS256", key: SHARED }))).status, 401, "no audience");
      assert.equal((await ask(identity("ada", { alg: "HS256", key: "other", claims: { aud: "game" } }))).status, 401);
      assert.equal((await ask(identity("ada", { claims: { aud: "game" } }))).status, 401, "EdDSA");
    } finally {
      await hs.stop();
    }
  });
});

describe("a second device", () => {
  test("a one-time code brings the account there, once", async () => {
    const { account, token } = await server.session();
    const made = await call("POST", "/api/session/code", token);
    assert.equal(made.status, 201, made.text);
    assert.match(made.json.code, /^[a-z2-9]{8}$/);
    assert.ok(Math.abs(made.json.expires_at - Date.now() - 600_000) < 60_000);
    const typed = made.json.code.toUpperCase().replace(/^.{4}/, "$& - ");
    const there = await call("POST", "/api/session", undefined, { code: typed });
    assert.deepEqual([there.status, there.json.account], [201, account], there.text);
    await assertRefused(call("POST", "/api/session", undefined, { code: typed }), 404, "code_unknown");
    for (const code of ["", "abcdefgh", "abcdefghj", "äöü"]) {
      await assertRefused(call("POST", "/api/session", undefined, { code }), 404, "code_unknown");
    }
    await assertRefused(call("POST", "/api/session", undefined, { cod: 7 }), 400, "bad_request");
    await assertRefused(call("POST", "/api/session/code"), 401, "unauthorized");
    const first = (await call("POST", "/api/session/code", token)).json.code;
    const second = (await call("POST", "/api/session/code", token)).json.code;
    await assertRefused(call("POST", "/api/session", undefined, { code: first }), 404, "code_unknown");
    const race = await Promise.all([1, 2, 3].map(() => call("POST", "/api/session", undefined, { code: second })));
    assert.deepEqual(race.map(({ status }) => status).sort(), [201, 404, 404]);
  });
});

describe("the account's page", () => {
  test("it shows where the characters are and what others may see of them", async () => {
    const session = await server.session();
    const none = await call("GET", "/api/me", session.token);
    assert.deepEqual(none.json, { account: session.account, characters: [] });
    const ada = await enter(server, "page", session, { name: "Ada" });
    const held = (await call("GET", "/api/me", session.token)).json.characters;
    assert.deepEqual(held.map(({ game, room, where }) => [game, room, where]), [["isle", "page", "held"]]);
    assert.ok(Math.abs(held[0].since - Date.now()) < 30_000);
    const gold = await ada.collect(1);
    await ada.leave();
    await eventually("home", () => lease(server, session.account).room === null, HOME_MS);
    const [home] = (await call("GET", "/api/me", session.token)).json.characters;
    assert.deepEqual([home.where, home.room, home.kind, home.fields.gold], ["home", "page", "walker", gold]);
    assert.ok(home.since >= held[0].since);
    assert.equal((await server.http("POST", "/api/me")).status, 405);
  });

  test("a deleted account is gone for good: characters, records and tokens", async () => {
    const session = await server.session();
    const ada = await enter(server, "last", session, { name: "Ada" });
    await ada.collect(3);
    await ada.goTo(() => ada.snap.d[1].find(({ kind }) => kind === "stall"), 2.5);
    assert.equal((await ada.act("buy", { shells: 1 })).ok, true);
    const listed = async () => (await server.http("GET", "/api/records?game=isle&key=shells")).json.records
      .filter(({ owner }) => owner === session.account).length;
    for (let i = 0; i < 50 && (await listed()) === 0; i++) await new Promise((done) => setTimeout(done, 100));
    assert.equal(await listed(), 1);

    const deleted = await call("DELETE", "/api/me", session.token);
    assert.equal(deleted.status, 200, deleted.text);
    await ada.until("the close", () => ada.closed);
    assert.equal(ada.closed.code, TAKEN);
    assert.equal(await listed(), 0);
    await eventually("nothing in D1", () => (
      record(server, session.account) === undefined && !knowsAccount(server, session.account)
    ), HOME_MS);
    const row = lease(server, session.account);
    assert.deepEqual([row.room, row.body, row.gone], [null, null, 1]);

    await assertRefused(call("GET", "/api/me", session.token), 401, "session_deleted");
    await assertRefused(call("POST", "/api/session", session.token), 401, "session_deleted");
    await assertRefused(call("POST", "/api/session/code", session.token), 401, "session_deleted");
    let end = await refused("last", session.token);
    while (end.code === RETURNING) end = await refused("last", session.token);
    assert.deepEqual([end.code, end.reason], [SESSION, "this account was deleted"]);
    assert.equal((await call("DELETE", "/api/me", session.token)).status, 200, "once more");
    assert.equal((await server.facts("isle", "last")).holds.held, 0);
  });

  test("one that never played is deleted too, and a room that does not answer keeps what it has until it does", async () => {
    const nobody = await server.session();
    assert.equal((await call("DELETE", "/api/me", nobody.token)).status, 200);
    assert.equal((await refused("x", nobody.token)).code, SESSION);
    const bob = await server.session();
    const walker = await enter(server, "stubborn", bob, { name: "Bob" });
    await server.fault("isle", "stubborn", { kind: "deaf", on: true });
    await assertRefused(call("DELETE", "/api/me", bob.token), 409, "held");
    assert.equal(walker.closed, null);
    assert.equal((await call("GET", "/api/me", bob.token)).json.characters.length, 1, "nothing is lost");
    await server.fault("isle", "stubborn", { kind: "deaf", on: false });
    assert.equal((await call("DELETE", "/api/me", bob.token)).status, 200);
    await walker.until("the close", () => walker.closed);
  });
});

test("no token, code or secret is in the log, nor in what another client is sent", async () => {
  const [session, other] = [await server.session(), await server.session()];
  const witness = await enter(server, "secrets", other, { name: "Witness" });
  const ada = await enter(server, "secrets", session, { name: "Ada" });
  const jwt = identity("ada");
  await refused("secrets", `${session.token}x`);
  await refused("secrets", identity("ada", { claims: { exp: 5 } }));
  await call("GET", "/api/me", jwt);
  const { code } = (await call("POST", "/api/session/code", session.token)).json;
  await call("POST", "/api/session", undefined, { code });
  await witness.tick(witness.snap.k + 5);
  const secrets = [session.token, ada.welcome.you.token, code, jwt, server.vars.SESSION_SECRET, SHARED];
  const seen = witness.frames.map(({ text }) => text).join("\n");
  for (const secret of secrets) {
    assert.ok(secret && !server.log().includes(secret) && !seen.includes(secret), "a secret leaked");
  }
  ada.cut();
  witness.cut();
});
