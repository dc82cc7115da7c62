import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** An agent program that does what its prompts say; see there for what they can say. */
export const FAKE_AGENT = fileURLToPath(new URL('fake-agent.mjs', import.meta.url));

export interface FakeAgentOptions {
  /** The file to which it writes everything that it receives, one entry per line. */
  readonly log?: string;
  /** Where it keeps its sessions; without it, it cannot load any. */
  readonly store?: string;
  readonly start?: 'exit' | 'hang' | 'noise';
  /** The mode its sessions begin in. */
  readonly mode?: string;
  /** The kinds of options with which it asks for permission. */
  readonly permissions?: readonly string[];
  readonly ignoresTerm?: boolean;
  /** `late`: answers that a session is loaded before it has replayed its messages. */
  readonly replay?: 'late';
  /** Whether it can close a session. */
  readonly closes?: boolean;
  /** Commands get nothing of its environment but the path. */
  readonly clearsEnvironment?: boolean;
  /** Stores its own messages, and not the prompts. */
  readonly forgetsPrompts?: boolean;
  /** Loads sessions that it knows nothing of. */
  readonly isForgetful?: boolean;
  /** Answers every new session with `auth_required`. */
  readonly login?: boolean;
  /** Models that a session can be set to; the first is the current one. */
  readonly models?: readonly string[];
}

/** Something that the fake agent received. */
export interface FakeAgentEntry {
  readonly type: string;
  readonly id?: string;
  readonly prompt?: readonly { readonly type: string; readonly text?: string }[];
  readonly [more: string]: unknown;
}

export function readAgentLog(path: string): FakeAgentEntry[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as FakeAgentEntry);
}
