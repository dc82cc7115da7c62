import type { AgentDefinition, DriverKind, McpServerConfig, PermissionMode } from '@stoa/protocol';
import { DRIVER_FORMS } from './drivers/drivers.js';
import { type DriverDraft, given, linesOf, listed } from './drivers/form.js';

/** A definition as it is written in the form. What the form does not show is kept as it was. */
export interface AgentDraft {
  readonly displayName: string;
  readonly description: string;
  readonly instructions: string;
  readonly mode: PermissionMode;
  readonly kind: DriverKind;
  readonly driver: DriverDraft;
  /** One rule per line. */
  readonly allow: string;
  readonly ask: string;
  readonly deny: string;
  /** JSON. */
  readonly mcpServers: string;
}

export const NEW_AGENT: AgentDraft = {
  displayName: '',
  description: '',
  instructions: '',
  mode: 'ask',
  kind: 'builtin',
  driver: {},
  allow: '',
  ask: '',
  deny: '',
  mcpServers: '',
};

export function draftOf(definition: AgentDefinition): AgentDraft {
  const { driver, permissions = {}, mcpServers } = definition;
  const lines = (list: readonly string[] | undefined): string => (list ?? []).join('\n');
  return {
    ...NEW_AGENT,
    displayName: definition.displayName ?? '',
    description: definition.description ?? '',
    instructions: definition.instructions,
    mode: definition.mode,
    kind: driver.kind,
    driver: DRIVER_FORMS[driver.kind].draftOf(driver),
    allow: lines(permissions.allow),
    ask: lines(permissions.ask),
    deny: lines(permissions.deny),
    mcpServers: mcpServers === undefined ? '' : JSON.stringify(mcpServers, null, 2),
  };
}

type Read =
  | { readonly definition: AgentDefinition }
  | { readonly unreadable: Readonly<Record<string, string>> };

/** The definition that is written, upon what was there before; or at which fields it cannot be read. */
export function definitionFrom(draft: AgentDraft, before?: AgentDefinition): Read {
  const read = DRIVER_FORMS[draft.kind].read(draft.driver, before?.driver);
  const servers = serversFrom(draft.mcpServers);
  if ('unreadable' in read || servers === null) {
    const ofDriver = 'unreadable' in read ? Object.entries(read.unreadable) : [];
    return {
      unreadable: {
        ...Object.fromEntries(ofDriver.map(([name, problem]) => [`driver.${name}`, problem])),
        ...(servers === null
          ? { mcpServers: 'Enter a JSON object of server names and their settings.' }
          : {}),
      },
    };
  }
  const {
    displayName: _,
    description: __,
    permissions: ___,
    mcpServers: ____,
    ...kept
  } = before ?? { mode: draft.mode, instructions: '' };
  const permissions = {
    ...listed('deny', linesOf(draft.deny)),
    ...listed('ask', linesOf(draft.ask)),
    ...listed('allow', linesOf(draft.allow)),
  };
  return {
    definition: {
      ...kept,
      ...given('displayName', draft.displayName),
      ...given('description', draft.description),
      driver: read.driver,
      mode: draft.mode,
      ...(Object.keys(permissions).length === 0 ? {} : { permissions }),
      ...(servers === undefined ? {} : { mcpServers: servers }),
      instructions: draft.instructions,
    },
  };
}

/** Undefined where there is none, null where it cannot be read. */
function serversFrom(text: string): Record<string, McpServerConfig> | undefined | null {
  if (text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, McpServerConfig>) : null;
  } catch {
    return null;
  }
}
