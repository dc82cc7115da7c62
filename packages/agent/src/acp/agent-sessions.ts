import { methods } from '@agentclientprotocol/sdk';
import type { RunContext, Transcript } from '@stoa/core';
import { z } from 'zod';
import { serverSecrets } from '../mcp/server-secrets.js';
import type { AgentProcess } from './agent-process.js';
import type { KnownServers } from './call-subjects.js';
import { type McpAccess, type McpFor, mcpServers } from './mcp-servers.js';
import { openSession } from './open-session.js';
import { lastTextOf } from './replay.js';
import { readNote, SESSION_NOTE } from './session-note.js';
import type { SessionUpdate } from './session-updates.js';

/** A session of an agent program that a session of Stoa speaks to. */
export interface AgentSession {
  readonly id: string;
  /** The digest of the instructions it was given; undefined before. */
  told: string | undefined;
  /** Why it has to be told what was before; undefined when it knows. */
  history: string | undefined;
  /** As it stands in the journal. */
  note: string | undefined;
  readonly mode: string | undefined;
  /** Whether it was there before this program began it. */
  readonly isContinued: boolean;
  /** The MCP servers it was given. */
  readonly servers: KnownServers;
  commands: ReadonlySet<string>;
}

export interface AgentSessionsPorts {
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  readonly mcpFor?: McpFor;
  readonly diagnose: (message: string, details: Readonly<Record<string, unknown>>) => void;
  readonly sessionMs: number;
  /** No session is left in this program, and another took its place. */
  readonly left: (process: AgentProcess) => void;
}

interface Held {
  readonly session: AgentSession;
  readonly process: AgentProcess;
  readonly access: McpAccess | undefined;
  /** Under which memory it was opened: what is held apart has a session of its own. */
  readonly scope: string;
  /** From here on what it was given is no secret of the program any more. */
  readonly release: () => void;
}

/**
 * Which session of which program belongs to which session of Stoa.
 *
 *   none ──open──▶ held ──its program ended──▶ none: the next run continues it from the journal's note
 *                   ├──did not stop──▶ given up: the next run begins a new one and tells it what was
 *                   └──forgotten, or opened elsewhere──▶ closing ──its program said so──▶ none
 */
export class AgentSessions {
  readonly #held = new Map<string, Held>();
  /** The program that a session was in last, while it runs. */
  readonly #last = new Map<string, AgentProcess>();
  /** Sessions of programs that hang: they are not asked again. */
  readonly #givenUp = new Set<string>();
  readonly #opening = new Map<string, Promise<AgentSession>>();
  /** Sessions that are being closed in their programs: nobody opens them before that is done. */
  readonly #closing = new Map<string, Promise<void>>();

  constructor(private readonly ports: AgentSessionsPorts) {}

  /** A run that was cancelled while it opened its session leaves the rest of that to the next. */
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
      .then(() => this.#open(run, process, transcript, denied));
    this.#opening.set(sessionId, opening);
    try {
      return await opening;
    } finally {
      if (this.#opening.get(sessionId) === opening) this.#opening.delete(sessionId);
    }
  }

  async #open(
    run: RunContext,
    process: AgentProcess,
    transcript: Transcript,
    denied: ReadonlySet<string>,
  ): Promise<AgentSession> {
    const { entries, notes } = transcript;
    const { sessionId, workspace, persona } = run.session;
    const written = notes.get(SESSION_NOTE);
    const held = this.#held.get(sessionId);
    // What the journal does not say, or says otherwise, was cleared or done by another daemon.
    const scope = JSON.stringify([scopeOf(run), ...[...denied].sort()]);
    const isHeld = held?.process === process && !process.hasEnded && held.scope === scope;
    if (isHeld && held.session.note === written) return held.session;
    this.#leave(sessionId);
    await this.#closing.get(sessionId);
    this.#abandon(this.#last.get(sessionId), process);
    const note = readNote(written);
    const known = note?.program === process.program.family ? note : undefined;
    const isUsable = known !== undefined && !this.#givenUp.has(known.id);
    const access = this.ports.mcpFor?.(run);
    const all = Object.entries(persona.definition.mcpServers ?? {});
    const configured = Object.fromEntries(all.filter(([name]) => !denied.has(name)));
    const release = process.keepSecret([
      ...(access ? [access.token] : []),
      ...Object.values(configured).flatMap(
        (server) => serverSecrets(server, this.ports.environment).keys,
      ),
    ]);
    try {
      const ownName = process.nextServerName();
      const offered = mcpServers(
        access,
        ownName,
        configured,
        process.capabilities.mcpCapabilities?.http === true,
        this.ports.environment,
      );
      if (offered.left.length > 0) {
        const words = `${process.program.name} cannot use these MCP servers: ${offered.left.join(', ')}`;
        await run.journal.note('mcp_unsupported', words);
      }
      const opened = await openSession(process, {
        cwd: workspace,
        mcpServers: offered.servers,
        knownId: isUsable ? known.id : undefined,
        lastText: lastTextOf(transcript),
        milliseconds: this.ports.sessionMs,
      });
      const isLost = opened.isNew !== undefined && entries.some(({ type }) => type !== 'context');
      const session: AgentSession = {
        id: opened.id,
        mode: opened.mode,
        told: opened.isNew || !known || known.told === '' ? undefined : known.told,
        history: isLost ? reprimed(known !== undefined && !isUsable, opened.isNew) : undefined,
        note: written,
        isContinued: opened.isNew === undefined,
        servers: {
          own: access && { name: ownName, tools: access.tools },
          names: all.map(([name]) => name),
        },
        commands: new Set(),
      };
      this.#hold(sessionId, { session, process, access, release, scope });
      return session;
    } catch (error) {
      access?.revoke();
      release();
      throw error;
    }
  }

  /** What a program says of a session by itself. A mode in which it would not ask is not kept. */
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
    process.calls
      .within(this.ports.sessionMs, z.unknown(), setMode, request)
      .catch((error: unknown) => {
        this.ports.diagnose('an agent program left the mode in which it asks', { mode, error });
      });
  }

  giveUp(sessionId: string, session: AgentSession): void {
    this.#givenUp.add(session.id);
    if (this.#held.get(sessionId)?.session === session) this.#drop(sessionId);
  }

  /** The session ended, was cleared or was refreshed: closes it in its program. */
  forget(sessionId: string): void {
    this.#leave(sessionId);
  }

  /** Closes the session in its program, where the program can. */
  #leave(sessionId: string): void {
    const held = this.#held.get(sessionId);
    if (!held) return;
    this.#drop(sessionId);
    const { process, session } = held;
    const canClose = process.capabilities.sessionCapabilities?.close !== undefined;
    if (!canClose || process.hasEnded) return;
    const { close } = methods.agent.session;
    const closed = process.calls
      .within(Math.min(CLOSE_MS, this.ports.sessionMs), z.unknown(), close, {
        sessionId: session.id,
      })
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => {
        if (this.#closing.get(sessionId) === closed) this.#closing.delete(sessionId);
      });
    this.#closing.set(sessionId, closed);
  }

  /** A session goes on in another program: the one before ends when no session is left in it. */
  #abandon(before: AgentProcess | undefined, now: AgentProcess): void {
    if (!before || before === now || before.hasEnded) return;
    const isUsed = [...this.#held.values()].some((held) => held.process === before);
    if (!isUsed) this.ports.left(before);
  }

  close(): void {
    for (const sessionId of [...this.#held.keys()]) this.#drop(sessionId);
  }

  #hold(sessionId: string, held: Held): void {
    this.#held.set(sessionId, held);
    this.#last.set(sessionId, held.process);
    void held.process.ended.then(() => {
      if (this.#last.get(sessionId) === held.process) this.#last.delete(sessionId);
      // A program that is started anew may have it again.
      this.#givenUp.delete(held.session.id);
      if (this.#held.get(sessionId) === held) this.#drop(sessionId);
    });
  }

  #drop(sessionId: string): void {
    const held = this.#held.get(sessionId);
    held?.access?.revoke();
    held?.release();
    this.#held.delete(sessionId);
  }
}

const CLOSE_MS = 3_000;

const scopeOf = ({ memoryScope: { namespace, mode } }: RunContext): string =>
  mode === 'isolated' ? namespace : '';

function reprimed(wasGivenUp: boolean, { reason }: { readonly reason: string }): string {
  const why = wasGivenUp ? 'it did not stop when it was told to' : reason;
  return `The agent begins a new session, because the one before cannot go on (${why}). It is told from the journal what was before.`;
}
