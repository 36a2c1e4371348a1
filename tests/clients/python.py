"""The Python SDK over HTTP, in both eras: python.py URL TOKEN."""

import asyncio
import sys

from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


async def scenario(url, token, mode):
    headers = {"Authorization": f"Bearer {token}"}
    async with create_mcp_http_client(headers=headers) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert {"sh_run", "sh_start", "sh_allowed"} <= tools, tools
            run = await client.call_tool("sh_run", {"command": "echo", "args": ["a  b"]})
            assert run.structured_content["stdout"] == "a  b\n", run
            refused = await client.call_tool("sh_run", {"command": "echo", "args": "a"})
            assert refused.is_error, refused


async def main():
    url, token = sys.argv[1:]
    for mode in ["auto", "legacy"]:
        await scenario(url, token, mode)


asyncio.run(main())
