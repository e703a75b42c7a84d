"""Drives a Winnow MCP server with the protocol's Python client.

Called by the test beside it as: client.py COMMAND [ARGUMENT...], or client.py URL.
Prints one JSON object that says what the client saw.
"""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


async def drive(read, write):
    async with ClientSession(read, write) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
        progress = []

        async def told(done, total, message):
            progress.append(message)

        ask = await session.call_tool("ask", {"question": "where was the builder of the hive born"}, progress_callback=told)
        wrong = await session.call_tool("query", {"query": "hive", "nothing": 1})
        ask, wrong = ask.model_dump(by_alias=True), wrong.model_dump(by_alias=True)
        print(json.dumps({
            "tools": sorted(tool.name for tool in tools),
            "structured": ask["structuredContent"],
            "text": ask["content"][0]["text"],
            "progress": progress,
            "wrong": wrong["isError"],
        }))


async def main():
    if sys.argv[1].startswith("http"):
        async with streamable_http_client(sys.argv[1]) as (read, write, *_):
            await drive(read, write)
        return
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:], env=dict(os.environ))
    async with stdio_client(server) as (read, write):
        await drive(read, write)


asyncio.run(main())
