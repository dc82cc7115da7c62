/** The MCP server under which the daemon's own tools are offered. */
export const OWN_SERVER = 'stoa';
