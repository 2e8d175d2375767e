// SPDX-License-Identifier: MIT
// What the tests of `collider serve` share: the command, started and ended, and raw requests to it.
import { spawn } from "node:child_process";
import { createConnection } from "node:net";

/** Reads until what was read is wanted; gives up after ten minutes, which a busy machine may need. */
export async function eventually(read, wanted, what) {
  const until = Date.now() + 600000;
  let got = await read();
  while (!wanted(got)) {
    if (Date.now() > until) throw new Error(`${what}: ${JSON.stringify(got)}`);
    await new Promise((done) => setTimeout(done, 50));
    got = await read();
  }
  return got;
}

/** A command that runs until it is stopped; `output` is what it has printed. */
export function start(collider, words) {
  const child = spawn(collider, words, { stdio: ["ignore", "pipe", "pipe"] });
  const self = { child, output: "", errors: "" };
  child.stdout.on("data", (part) => (self.output += part));
  child.stderr.on("data", (part) => (self.errors += part));
  self.ended = new Promise((done) => child.on("close", (status, signal) => done({ status, signal })));
  self.stop = (signal = "SIGTERM") => {
    child.kill(signal);
    return self.ended;
  };
  return self;
}

export async function serve(collider, words) {
  const server = start(collider, ["serve", "--port", "0", "--quiet", ...words]);
  const printed = () => server.output + (server.child.exitCode === null ? "" : ` ended: ${server.errors}`);
  server.url = new URL((await eventually(printed, (text) => text.includes("\n"), "no address")).trim());
  return server;
}

/** Sends bytes as they are; resolves to what comes back before the end, or by the time. */
export function send(url, bytes, { milliseconds = 600000, half = false } = {}) {
  return new Promise((done) => {
    let answer = "";
    const socket = createConnection({ host: url.hostname, port: url.port });
    const end = () => {
      socket.destroy();
      done(answer);
    };
    socket.setTimeout(milliseconds, end);
    socket.on("connect", () => {
      socket.write(bytes);
      if (half) socket.end();
    });
    socket.on("data", (part) => (answer += part.toString("latin1")));
    socket.on("error", end);
    socket.on("close", end);
  });
}
