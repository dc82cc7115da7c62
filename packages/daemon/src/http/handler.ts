import type { Core } from '@stoa/core';
import type {
  AnswerOf,
  BodyOf,
  HeadersOf,
  JsonRouteId,
  McpServerHealth,
  ParamsOf,
  Principal,
  QueryOf,
  Route,
  Routes,
  Status,
} from '@stoa/protocol';

/** An admitted request: authenticated, authorised and validated. */
export interface Call<R extends Route> {
  readonly by: Principal;
  readonly params: ParamsOf<R>;
  readonly query: QueryOf<R>;
  readonly headers: HeadersOf<R>;
  readonly body: BodyOf<R>;
  readonly key: string | undefined;
}

type Answer<R extends Route> = undefined extends AnswerOf<R> ? Promise<void> : Promise<AnswerOf<R>>;

export type Handlers = {
  readonly [K in JsonRouteId]: (call: Call<Routes[K]>) => Answer<Routes[K]>;
};

/** The handlers of the JSON routes in the table of a noun. */
export type HandlersOf<Table> = Pick<Handlers, Extract<keyof Table, JsonRouteId>>;

export interface HandlerPorts {
  readonly core: Core;
  readonly status: () => Promise<Status>;
  readonly loginUrl: (code: string) => string;
  /** Whether this host and port address this daemon. */
  readonly isOwnHost: (host: string) => boolean;
  /** The currency of the price table, if there is one. */
  readonly currency: string | undefined;
  /** The states of the MCP servers of agents. */
  readonly mcpServers: () => Promise<McpServerHealth[]>;
  readonly backup: (directory: string | undefined) => Promise<AnswerOf<Routes['createBackup']>>;
}
