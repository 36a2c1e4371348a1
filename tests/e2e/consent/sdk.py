"""A client whose person says no, and then yes; what came is printed as a line of JSON.

Arguments: the arguments of the call as JSON, in which MODE stands for the mode, and the command that
starts the server. There is one session for each mode of the SDK.
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters
from mcp.types import ElicitResult


async def session(mode, arguments, command, args):
    asked = []

    async def ask(context, params):
        asked.append(params.message)
        decision = "deny" if len(asked) == 1 else "run-once"
        return ElicitResult(action="accept", content={"decision": decision})

    server = StdioServerParameters(command=command, args=args)
    async with Client(server, mode=mode, elicitation_callback=ask) as client:
        results = [await client.call_tool("sh_run", arguments) for _ in range(2)]
        return {
            "version": client.protocol_version,
            "asked": asked,
            "results": [result.model_dump(mode="json", by_alias=True) for result in results],
        }


async def sessions(arguments, command, *args):
    arguments_of = lambda mode: json.loads(arguments.replace("MODE", mode))
    return {mode: await session(mode, arguments_of(mode), command, args) for mode in ("auto", "legacy")}


print(json.dumps(asyncio.run(sessions(*sys.argv[1:]))))
