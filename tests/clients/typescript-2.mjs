// The TypeScript SDK, version 2: it asks the server which era it speaks, and takes the later one.
//
// node typescript-2.mjs WORKSPACE stdio PROGRAM ARGS... | http URL TOKEN

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { scenario } from "./scenario.mjs";
import { transport } from "./transport.mjs";

const [workspace, ...way] = process.argv.slice(2);
for (const mode of ["auto", "legacy"]) {
  const client = new Client({ name: "typescript-2", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport(way, StdioClientTransport, StreamableHTTPClientTransport));
  await scenario(client, (params, options) => client.callTool(params, options), workspace);
  await client.close();
}
