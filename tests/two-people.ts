import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Message } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  newPerson,
  openSession,
  postMessage,
  startDaemon,
  type TestDaemon,
} from '@stoa/testkit';
import { scripted, TestChannel } from './test-channel.js';

/** A driver that follows every instruction that it reads, from any author: only a mechanical limit can stop it. */
export const obedient = (turns: string) =>
  scripted(`
turns:
${turns}
  - when: { matches: 'helper: (.*)' }
    steps:
      - call: { tool: agent, input: { description: help, prompt: '\${match.1}', agent: obedient } }
      - emit: '\${result}'
  - when: { matches: 'run: (.*)' }
    steps:
      - call: { tool: shell, input: { command: '\${match.1}' } }
      - emit: 'shell: \${outcome}'
otherwise:
  - emit: nothing to do
`);

interface TwoPeopleOptions {
  /** Directories that the configuration can name; `private` has a file of the owner. */
  readonly workspaces: readonly string[];
  readonly config: (workspace: (name: string) => string) => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The driver of the agent `obedient`. */
  readonly driver: object;
}

/** A daemon with its owner and Bob, for tests about requests of a person for whom a session does not work. */
export class TwoPeople {
  owner: Caller;
  #count = 0;

  private constructor(
    readonly root: string,
    public daemon: TestDaemon,
    readonly bob: Caller,
  ) {
    this.owner = callerOf(daemon.url, daemon.token);
  }

  static async start({ workspaces, config, env, driver }: TwoPeopleOptions): Promise<TwoPeople> {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'stoa-people-')));
    for (const name of workspaces) mkdirSync(join(root, name));
    writeFileSync(join(root, 'private', 'notes.txt'), 'for the owner alone');
    const lines = config((name) => join(root, name));
    const daemon = await startDaemon({ config: lines.join('\n'), ...(env ? { env } : {}) });
    const people = new TwoPeople(root, daemon, await newPerson(daemon, 'bob'));
    const put = await people.owner.put('/v1/agents/obedient', { driver });
    if (put.status !== 200) throw new Error(put.text);
    return people;
  }

  /** Kills the daemon and starts another on its data. Returns the owner, as the callers of the old one fail. */
  async killAndStart(): Promise<Caller> {
    await this.daemon.kill();
    this.daemon = await startDaemon({ home: this.daemon.home });
    this.owner = callerOf(this.daemon.url, this.daemon.token);
    return this.owner;
  }

  async close(): Promise<void> {
    await this.daemon.cleanUp();
    rmSync(this.root, { recursive: true, force: true });
  }

  /** A name that is used once. */
  unique(name: string): string {
    return `${name}-${String((this.#count += 1))}`;
  }

  workspace(name = 'private'): string {
    return join(this.root, name);
  }

  session(mode: string, by = this.owner, where = 'private', agentId = 'obedient'): Promise<string> {
    return openSession(by, { agentId, workspace: this.workspace(where), mode });
  }

  /** A channel with one session of the owner, in which Bob is a member too. */
  async openChannel(sessionId: string, memberId: string): Promise<TestChannel> {
    const channel = await TestChannel.open(this.owner, {
      channelId: this.unique('channel'),
      policy: { memberCooldownMs: 0 },
      workspace: this.workspace(),
    });
    const members = `${channel.path}/members`;
    for (const joined of [
      await this.owner.post(members, { actorId: `session:${sessionId}`, memberId }),
      await this.bob.post(members, {}),
    ]) {
      if (joined.status !== 200) throw new Error(joined.text);
    }
    return channel;
  }
}

export const ask = (by: Caller, { path }: TestChannel, text: string): Promise<Message> =>
  postMessage(by, `${path}/messages`, { text });
