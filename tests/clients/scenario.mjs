// What every client does with a server whose tool may run anything in the directory `workspace`.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const TOOLS = ["sh_run", "sh_start", "sh_poll", "sh_output", "sh_kill", "sh_allowed"];

/**
 * @param client a client that is connected
 * @param call calls a tool: `(params, options) => Promise<result>`
 */
export async function scenario(client, call, workspace) {
  const sh = (script) => ({ name: "sh_run", arguments: { command: "sh", args: ["-c", script] } });
  const file = (name) => join(workspace, name);
  for (const name of ["begun", "go"]) rmSync(file(name), { force: true });

  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).sort(), [...TOOLS].sort());

  const run = await call({ name: "sh_run", arguments: { command: "echo", args: ["a  b"] } });
  assert.equal(run.structuredContent.stdout, "a  b\n");
  assert.deepEqual(JSON.parse(run.content[0].text), run.structuredContent);

  const failed = await call(sh("exit 3"));
  assert.equal(failed.structuredContent.exit, 3);
  assert.ok(!failed.isError);

  const refused = await call({ name: "sh_run", arguments: { command: "echo", args: "a" } });
  assert.equal(refused.isError, true);

  // It ends only when the client has been told that it goes on.
  const told = await call(sh("echo one; until [ -e go ]; do sleep 0.05; done"), {
    onprogress: () => writeFileSync(file("go"), ""),
  });
  assert.equal(told.structuredContent.stdout, "one\n");

  const seconds = `1000.${process.pid}${Date.now()}`;
  const abort = new AbortController();
  const cancelled = call(sh(`> begun; exec sleep ${seconds}`), { signal: abort.signal });
  await until(() => existsSync(file("begun")));
  abort.abort("enough");
  await assert.rejects(cancelled);
  await until(() => !isRunning(seconds));

  const job = await call({ name: "sh_start", arguments: { command: "echo", args: ["hi"] } });
  const handle = { job: job.structuredContent.job };
  const state = async () =>
    (await call({ name: "sh_poll", arguments: handle })).structuredContent.state;
  await until(async () => (await state()) === "exited");
  const output = await call({ name: "sh_output", arguments: handle });
  assert.equal(output.structuredContent.stdout, "hi\n");
}

/** Waits for something that happens at once on an idle machine. */
export async function until(condition) {
  for (const end = Date.now() + 60_000; !(await condition()); await pause(20)) {
    assert.ok(Date.now() < end, `it did not happen: ${condition}`);
  }
}

/** Whether a process has this among its arguments. */
function isRunning(argument) {
  return readdirSync("/proc").some((entry) => {
    try {
      const words = readFileSync(`/proc/${entry}/cmdline`, "utf8").split("\0");
      return words[0].endsWith("sleep") && words.includes(argument);
    } catch {
      return false;
    }
  });
}
