// The TypeScript SDK, version 1: it speaks the era with sessions.
//
// node typescript-1.mjs WORKSPACE stdio PROGRAM ARGS... | http URL TOKEN

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { scenario } from "./scenario.mjs";
import { transport } from "./transport.mjs";

const [workspace, ...way] = process.argv.slice(2);
const client = new Client({ name: "typescript-1", version: "1" });
await client.connect(transport(way, StdioClientTransport, StreamableHTTPClientTransport));
await scenario(client, (params, options) => client.callTool(params, undefined, options), workspace);
await client.close();
