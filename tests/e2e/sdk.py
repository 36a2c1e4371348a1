"""Sessions with an MCP server, driven by the Python SDK; what came is printed as a line of JSON.

Arguments: the calls as JSON, and the command that starts the server. There is one session for each
mode of the SDK.
"""

import asyncio
import json
import sys

from mcp import Client, MCPError, StdioServerParameters


async def call(client, tool, arguments, patience=None):
    try:
        result = await client.call_tool(tool, arguments, read_timeout_seconds=patience)
    except MCPError as error:
        return {"error": str(error)}
    return result.model_dump(mode="json", by_alias=True)


async def session(mode, calls, command, args):
    server = StdioServerParameters(command=command, args=args)
    async with Client(server, mode=mode) as client:
        tools = await client.list_tools()
        return {
            "version": client.protocol_version,
            "server": client.server_info.name,
            "tools": [tool.name for tool in tools.tools],
            "results": [await call(client, *words) for words in calls],
        }


async def sessions(calls, command, *args):
    return {mode: await session(mode, json.loads(calls), command, args) for mode in ("auto", "legacy")}


print(json.dumps(asyncio.run(sessions(*sys.argv[1:]))))
