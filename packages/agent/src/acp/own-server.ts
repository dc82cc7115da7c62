import { randomBytes } from 'node:crypto';

/** How rules call Stoa's own MCP server, whatever name a session knows it by. */
export const OWN_SERVER = 'stoa';

/** Stoa's own MCP server, as one session of an agent program knows it. */
export interface OwnServer {
  /** Random: nothing that was written before the session began can bear it. */
  readonly name: string;
  /** The tools that `/mcp` offers to this session. */
  readonly tools: ReadonlySet<string>;
}

const NAME_BYTES = 8;

/** Letters and digits only, so that no program divides it where it joins server and tool. */
export const newServerName = (): string =>
  `${OWN_SERVER}${randomBytes(NAME_BYTES).toString('hex')}`;
