import { methods } from '@agentclientprotocol/sdk';
import type { Diagnose, RunContext, Transcript } from '@stoa/core';
import { z } from 'zod';
import { serverSecrets } from '../mcp/server-secrets.js';
import type { AgentProcess } from './agent-process.js';
import type { KnownServers } from './call-subjects.js';
import { openSession } from './open-session.js';
import { lastTextOf } from './replay.js';
import { type McpAccess, type McpFor, sessionServers } from './session-servers.js';
import type { SessionUpdate } from './session-updates.js';

/** The code of the journal note that names the session of the agent program, so that it can continue after a restart. */
export const SESSION_NOTE = 'acp_session';

const SessionNote = z.object({
  id: z.string().min(1),
  /** The family of the program: its id means nothing to others. */
  program: z.string(),
  /** The digest of the instructions that the session has received; empty if none. */
  instructions: z.string().default(''),
});

function readNote(text: string | undefined): z.infer<typeof SessionNote> | undefined {
  if (text === undefined) return undefined;
  try {
    return SessionNote.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** A session of an agent program that belongs to a session of Stoa. */
export interface AgentSession {
  readonly id: string;
  /** The digest of the instructions that it has received. */
  instructions: string | undefined;
  /** Why it needs the earlier conversation from the journal; undefined if it knows it. */
  historyReason: string | undefined;
  /** Its note in the journal. */
  note: string | undefined;
  readonly mode: string | undefined;
  /** Whether it existed before it was opened in this process. */
  readonly isContinued: boolean;
  /** The MCP servers that it received. */
  readonly servers: KnownServers;
  commands: ReadonlySet<string>;
}

export const writeNote = (session: AgentSession, process: AgentProcess): string =>
  JSON.stringify({
    id: session.id,
    program: process.program.family,
    instructions: session.instructions ?? '',
  } satisfies z.infer<typeof SessionNote>);

export interface AgentSessionsPorts {
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  readonly mcpFor?: McpFor;
  readonly diagnose: Diagnose;
  readonly sessionMs: number;
  /** Called when the last session of a program has moved to another program. */
  readonly abandoned: (process: AgentProcess) => void;
}

interface OpenSession {
  readonly session: AgentSession;
  readonly process: AgentProcess;
  readonly access: McpAccess | undefined;
  /** The isolated memory and the denied servers it was opened with: others need another session. */
  readonly scope: string;
  /** Stops treating the secrets of this session as secrets of the program. */
  readonly releaseSecrets: () => void;
}

/**
 * Which session of which program belongs to which session of Stoa.
 *
 *   none ──open──▶ open ──its program ended──▶ none: the next run continues it by the journal's note
 *                   ├──did not stop──▶ given up: the next run creates a new one, with the history from the journal
 *                   └──forgotten, or opened elsewhere──▶ closing ──its program answered──▶ none
 */
export class AgentSessions {
  readonly #open = new Map<string, OpenSession>();
  /** The running program that a session used last. */
  readonly #last = new Map<string, AgentProcess>();
  /** Ids of sessions that hang in their program. They are not continued. */
  readonly #givenUp = new Set<string>();
  readonly #opening = new Map<string, Promise<AgentSession>>();
  /** Sessions that their program is closing. They are opened again only afterwards. */
  readonly #closing = new Map<string, Promise<void>>();

  constructor(private readonly ports: AgentSessionsPorts) {}

  /** Opens the session of a run. If the run is cancelled meanwhile, the next run waits for the result. */
  async open(
    run: RunContext,
    process: AgentProcess,
    transcript: Transcript,
    /** MCP servers of the definition that the session must not use. */
    denied: ReadonlySet<string>,
  ): Promise<AgentSession> {
    const { sessionId } = run.session;
    const earlier = this.#opening.get(sessionId);
    const opening = Promise.resolve(earlier)
      .catch(() => undefined)
      .then(() => this.#openNext(run, process, transcript, denied));
    this.#opening.set(sessionId, opening);
    try {
      return await opening;
    } finally {
      if (this.#opening.get(sessionId) === opening) this.#opening.delete(sessionId);
    }
  }

  async #openNext(
    run: RunContext,
    process: AgentProcess,
    transcript: Transcript,
    denied: ReadonlySet<string>,
  ): Promise<AgentSession> {
    const { entries, notes } = transcript;
    const { sessionId, workspace, persona } = run.session;
    const written = notes.get(SESSION_NOTE);
    const open = this.#open.get(sessionId);
    const scope = JSON.stringify([isolatedMemory(run), ...[...denied].sort()]);
    const isOpen = open?.process === process && !process.hasEnded && open.scope === scope;
    // With another note, the journal was cleared or another daemon continued the session.
    if (isOpen && open.session.note === written) return open.session;
    this.forget(sessionId);
    await this.#closing.get(sessionId);
    this.#reportAbandoned(this.#last.get(sessionId), process);
    const note = readNote(written);
    const known = note?.program === process.program.family ? note : undefined;
    const isUsable = known !== undefined && !this.#givenUp.has(known.id);
    const access = this.ports.mcpFor?.(run);
    const all = Object.entries(persona.definition.mcpServers ?? {});
    const configured = Object.fromEntries(all.filter(([name]) => !denied.has(name)));
    const releaseSecrets = process.keepSecret([
      ...(access ? [access.token] : []),
      ...Object.values(configured).flatMap(
        (server) => serverSecrets(server, this.ports.environment).keys,
      ),
    ]);
    try {
      const ownName = process.nextServerName();
      const { servers, unusable } = sessionServers(
        access,
        ownName,
        configured,
        process.capabilities.mcpCapabilities?.http === true,
        this.ports.environment,
      );
      if (unusable.length > 0) {
        const text = `${process.program.name} cannot use these MCP servers: ${unusable.join(', ')}`;
        await run.journal.note('mcp_unsupported', text);
      }
      const opened = await openSession(process, {
        cwd: workspace,
        mcpServers: servers,
        knownId: isUsable ? known.id : undefined,
        lastText: lastTextOf(transcript),
        milliseconds: this.ports.sessionMs,
      });
      const isLost = opened.isNew !== undefined && entries.some(({ type }) => type !== 'context');
      const session: AgentSession = {
        id: opened.id,
        mode: opened.mode,
        instructions: opened.isNew ? undefined : known?.instructions || undefined,
        historyReason: isLost
          ? historyReason(known !== undefined && !isUsable, opened.isNew)
          : undefined,
        note: written,
        isContinued: opened.isNew === undefined,
        servers: {
          own: access && { name: ownName, tools: access.tools },
          names: all.map(([name]) => name),
        },
        commands: new Set(),
      };
      this.#add(sessionId, { session, process, access, releaseSecrets, scope });
      return session;
    } catch (error) {
      access?.revoke();
      releaseSecrets();
      throw error;
    }
  }

  /** Applies a change that the program reports. If it leaves the mode in which it asks, that is set again. */
  changed(
    process: AgentProcess,
    session: AgentSession,
    change: Extract<SessionUpdate, { type: 'mode' | 'commands' }>,
  ): void {
    if (change.type === 'commands') {
      session.commands = new Set(change.names);
      return;
    }
    const { id, mode } = session;
    if (mode === undefined || change.modeId === mode) return;
    const request = { sessionId: id, modeId: mode };
    const { setMode } = methods.agent.session;
    process
      .requestWithin(this.ports.sessionMs, z.unknown(), setMode, request)
      .catch((error: unknown) => {
        this.ports.diagnose('an agent program left the mode in which it asks', { mode, error });
      });
  }

  giveUp(sessionId: string, session: AgentSession): void {
    this.#givenUp.add(session.id);
    if (this.#open.get(sessionId)?.session === session) this.#remove(sessionId);
  }

  /** Closes the session in its program, if the program supports that. */
  forget(sessionId: string): void {
    const open = this.#open.get(sessionId);
    if (!open) return;
    this.#remove(sessionId);
    const { process, session } = open;
    const canClose = process.capabilities.sessionCapabilities?.close !== undefined;
    if (!canClose || process.hasEnded) return;
    const { close } = methods.agent.session;
    const closeMs = Math.min(CLOSE_MS, this.ports.sessionMs);
    const closed = process
      .requestWithin(closeMs, z.unknown(), close, { sessionId: session.id })
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => {
        if (this.#closing.get(sessionId) === closed) this.#closing.delete(sessionId);
      });
    this.#closing.set(sessionId, closed);
  }

  #reportAbandoned(before: AgentProcess | undefined, now: AgentProcess): void {
    if (!before || before === now || before.hasEnded) return;
    const isUsed = [...this.#open.values()].some(({ process }) => process === before);
    if (!isUsed) this.ports.abandoned(before);
  }

  close(): void {
    for (const sessionId of [...this.#open.keys()]) this.#remove(sessionId);
  }

  #add(sessionId: string, open: OpenSession): void {
    this.#open.set(sessionId, open);
    this.#last.set(sessionId, open.process);
    void open.process.ended.then(() => {
      if (this.#last.get(sessionId) === open.process) this.#last.delete(sessionId);
      // After a restart the program may be able to continue it.
      this.#givenUp.delete(open.session.id);
      if (this.#open.get(sessionId) === open) this.#remove(sessionId);
    });
  }

  #remove(sessionId: string): void {
    const open = this.#open.get(sessionId);
    open?.access?.revoke();
    open?.releaseSecrets();
    this.#open.delete(sessionId);
  }
}

const CLOSE_MS = 3_000;

const isolatedMemory = ({ memoryScope: { namespace, mode } }: RunContext): string =>
  mode === 'isolated' ? namespace : '';

function historyReason(wasGivenUp: boolean, { reason }: { readonly reason: string }): string {
  const why = wasGivenUp ? 'it did not stop when it was cancelled' : reason;
  return `The agent begins a new session, because the previous one cannot continue (${why}). It gets the earlier conversation from the journal.`;
}
