// SPDX-License-Identifier: MIT
// `collider serve` and whatever is sent to it:  node test_serve.mjs COLLIDER PLAN
// It answers what it should, survives everything else, and changes nothing.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { eventually, send, serve } from "./server.mjs";

const [collider, plan] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "collider-serve-"));
const store = join(folder, "results.db");
let server, state;

/** Everything in the folder, as a hash. */
function stateOf() {
  const hash = createHash("sha256");
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(join(folder, name)));
  return hash.digest("hex");
}
const get = (path, headers = {}, method = "GET") => fetch(new URL(path, server.url), { method, headers });
const request = (line, host = server.url.host) => `${line}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
const statusOf = (answer) => Number(/^HTTP\/1\.[01] (\d+)/.exec(answer)?.[1] ?? 0);
const lives = async () => assert.equal((await get("/live")).status, 200);

before(async () => {
  spawnSync(collider, ["campaign", plan, "--quiet", "--jobs", "2", "--out", store], { timeout: 1500000 });
  state = stateOf();
  server = await serve(collider, [store]);
});
after(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("its three addresses have their types, tags and policies", async () => {
  for (const [path, type] of [["/", "text/html; charset=utf-8"], ["/data", "application/json"], ["/live", "application/json"]]) {
    const answer = await get(path);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("content-type"), type);
    assert.match(answer.headers.get("content-security-policy"), /frame-ancestors 'none'/);
    assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
    assert.equal(answer.headers.get("access-control-allow-origin"), null);
    const tag = answer.headers.get("etag"), body = await answer.text();
    assert.ok(body.length > 50);
    assert.equal((await get(path, { "If-None-Match": tag })).status, 304);
    const head = await get(path, {}, "HEAD");
    assert.equal(head.headers.get("content-length"), String(Buffer.byteLength(body)));
    assert.equal(await head.text(), "");
  }
  const page = await (await get("/")).text();
  assert.match(page, /content="default-src 'none'; connect-src 'self'; img-src data:;/);
});

test("nothing but reading: other methods are refused", async () => {
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "PROPFIND"]) {
    const answer = await send(server.url, request(`${method} / HTTP/1.1`));
    assert.equal(statusOf(answer), 405, method);
    assert.match(answer, /\r\nAllow: GET, HEAD\r\n/);
  }
  const body = "x".repeat(100000);
  const answer = await send(server.url, `POST /data HTTP/1.1\r\nHost: ${server.url.host}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  assert.ok([0, 405].includes(statusOf(answer))); // it need not wait for the body
  await lives();
});

test("no address names a file", async () => {
  const paths = ["/results.db", "/../results.db", "/..%2f..%2f..%2fetc/passwd", "//etc/passwd", "/data/", "/data%00",
    "/%2e%2e/", "/live/../data", "/.", "/\\..\\..", "/" + "a/".repeat(2000), "/%", "/%zz", "*", "http://other/"];
  for (const path of paths) {
    const status = statusOf(await send(server.url, request(`GET ${path} HTTP/1.1`)));
    assert.ok([0, 400, 404, 414].includes(status), `${path.slice(0, 40)}: ${status}`);
  }
  await lives();
});

test("another name for this machine is refused, so that no other site can read along", async () => {
  const { port } = server.url;
  for (const host of ["example.org", `example.org:${port}`, "127.0.0.1", "127.0.0.1:1", `127.0.0.1.example.org:${port}`, "", `localhost:${port}0`])
    assert.ok([400, 403].includes(statusOf(await send(server.url, request("GET /data HTTP/1.1", host)))), host);
  assert.ok([0, 400, 403].includes(statusOf(await send(server.url, "GET /data HTTP/1.1\r\n\r\n", { milliseconds: 1000 }))));
  assert.equal(statusOf(await send(server.url, "GET /data HTTP/1.0\r\n\r\n")), 403);
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `LOCALHOST:${port}`])
    assert.equal(statusOf(await send(server.url, request("GET /live HTTP/1.1", host))), 200, host);
});

test("garbage, half requests and huge ones are survived", async () => {
  let seed = 1;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648);
  const noise = (length) => Buffer.from(Array.from({ length }, () => random() % 256));
  const host = `Host: ${server.url.host}\r\n`;
  const all = [
    ...Array.from({ length: 40 }, () => noise(1 + (random() % 3000))),
    ...Array.from({ length: 20 }, () => Buffer.concat([Buffer.from("GET / HTTP/1.1\r\n"), noise(200), Buffer.from("\r\n\r\n")])),
    "", "\r\n\r\n\r\n", "GET", "GET /", "GET / HTTP/1.1", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\nHost: x\n\n", "\0".repeat(5000),
    `GET /${"x".repeat(1 << 20)} HTTP/1.1\r\n${host}\r\n`,
    `GET / HTTP/1.1\r\n${host}X: ${"y".repeat(1 << 20)}\r\n\r\n`,
    `GET / HTTP/1.1\r\n${host}${"Y: z\r\n".repeat(20000)}\r\n`,
    `GET /?${"token=1&".repeat(3000)} HTTP/1.1\r\n${host}\r\n`,
    `GET / HTTP/1.1\r\n${host}Content-Length: 99999999999999999999\r\n\r\n`,
    `GET / HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n`,
    `GET / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    `GET / HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n`,
    `GET / HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Length: 5\r\n\r\n`,
    `GET / HTTP/1.1\r\n${host}If-None-Match: ${'"'.repeat(5000)}\r\n\r\n`,
    `GET /live HTTP/1.1\r\n${host}\r\n`.repeat(50),
  ];
  for (let i = 0; i < all.length; i += 10)
    await Promise.all(all.slice(i, i + 10).map((bytes) => send(server.url, bytes, { milliseconds: 300, half: i % 20 === 0 })));
  await lives();
});

test("many connections that say nothing are survived", async () => {
  const sockets = Array.from({ length: 300 }, () => createConnection({ host: server.url.hostname, port: server.url.port }));
  for (const socket of sockets) socket.on("error", () => {}).on("connect", () => socket.write("GET / HTTP/1.1\r\nHo"));
  await new Promise((done) => setTimeout(done, 200));
  for (const socket of sockets) socket.destroy();
  await eventually(() => get("/live").then((answer) => answer.status, () => 0), (status) => status === 200, "no answer");
});

test("after all that the store is as it was, and a signal ends it with requests open", async () => {
  const socket = createConnection({ host: server.url.hostname, port: server.url.port });
  socket.on("error", () => {}).on("connect", () => socket.write("GET / HTTP/1.1\r\nHo"));
  await new Promise((done) => socket.once("connect", done));
  assert.deepEqual(await server.stop("SIGTERM"), { status: 0, signal: null });
  assert.equal(server.errors, "");
  assert.equal(stateOf(), state);
  socket.destroy();
});

test("a folder is its stores, and what is not one is left alone", async () => {
  const shards = join(folder, "shards");
  mkdirSync(shards);
  copyFileSync(store, join(shards, "one.db"));
  writeFileSync(join(shards, "notes.txt"), "not a store");
  symlinkSync("/etc/passwd", join(shards, "link.db"));
  server = await serve(collider, [shards]);
  assert.equal((await (await get("/live")).json()).stores, 1);
  copyFileSync(store, join(shards, "two.db"));
  const stores = async () => (await (await get("/live")).json()).stores;
  await eventually(stores, (count) => count === 2, "the second store was not noticed");
  writeFileSync(join(shards, "three.db"), "broken");
  const trouble = async () => (await (await get("/live")).json()).trouble;
  await eventually(trouble, (text) => text.includes("three.db"), "the broken store was not mentioned");
  assert.ok((await (await get("/data")).json()).groups.length > 0, "what was there stays");
  rmSync(join(shards, "three.db"));
  await eventually(trouble, (text) => text === "", "the trouble is over");
  await server.stop();
});

test("with a token, no request goes without", async () => {
  const file = join(folder, "token");
  writeFileSync(file, "0123456789abcdef-XYZ\n");
  server = await serve(collider, [store, "--address", "0.0.0.0", "--token", file]);
  assert.equal(server.url.search, "?token=0123456789abcdef-XYZ");
  server.url.hostname = "127.0.0.1";
  for (const path of ["/", "/data", "/live", "/live?token=", "/live?token=0123456789abcdef-XY", "/live?token=0123456789abcdef-XYZZ"])
    assert.equal((await get(path)).status, 403, path);
  for (const path of ["/", "/data", "/live"]) assert.equal((await get(path + server.url.search)).status, 200, path);
  await server.stop();
  server = await serve(collider, [store, "--address", "0.0.0.0"]);
  assert.match(server.url.search, /^\?token=[0-9a-f]{32}$/);
});
