import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Member } from '@stoa/protocol';
import {
  type Caller,
  callerOf,
  FAKE_AGENT,
  type FakeAgentEntry,
  type FakeAgentOptions,
  processesWith,
  readAgentLog,
  type StartOptions,
  startDaemon,
  type TestDaemon,
  until,
} from '@stoa/testkit';
import { onTestFinished } from 'vitest';
import { start } from './stoa-command.js';
import { TestChannel } from './test-channel.js';

/** The real daemon with agents that are programs, and a directory for what these write. */
export class ProgramFixture {
  readonly owner: Caller;

  private constructor(
    readonly daemon: TestDaemon,
    readonly directory: string,
  ) {
    this.owner = callerOf(daemon.url, daemon.token);
  }

  static async open(options: StartOptions = {}): Promise<ProgramFixture> {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), 'stoa-programs-')));
    return new ProgramFixture(await startDaemon(options), directory);
  }

  async close(): Promise<void> {
    await this.daemon.cleanUp();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** The fake agent program as the driver of a definition. */
  program(name: string, options: Omit<FakeAgentOptions, 'log'> = {}) {
    const fake: FakeAgentOptions = { log: this.#logOf(name), ...options };
    return {
      kind: 'acp',
      command: [process.execPath, FAKE_AGENT],
      env: { FAKE_AGENT: JSON.stringify(fake), TEST_MARK: this.#markOf(name) },
    };
  }

  /** The living processes of such a program. */
  processes(name: string): number[] {
    return processesWith(this.#markOf(name));
  }

  logOf(name: string): FakeAgentEntry[] {
    return readAgentLog(this.#logOf(name));
  }

  /** The prompts of a program, each as one text. */
  prompts(name: string): string[] {
    return this.logOf(name).flatMap(({ type, prompt = [] }) =>
      type === 'prompt' ? [prompt.map(({ text = '' }) => text).join('\n')] : [],
    );
  }

  openChannel(channelId: string): Promise<TestChannel> {
    const { owner, directory } = this;
    return TestChannel.open(owner, {
      channelId,
      policy: { memberCooldownMs: 0 },
      workspace: directory,
    });
  }

  /** What people see who watch a channel with `stoa tail`. Agents that are there already get a turn. */
  async watch(testChannel: TestChannel, ...options: string[]) {
    const channelId = testChannel.topic.slice('channel:'.length);
    const env = { STOA_HOME: this.daemon.home };
    const tail = start(['tail', channelId, '--follow', ...options], { env });
    onTestFinished(() => void tail.process.kill('SIGKILL'));
    await testChannel.post('Nobody is here yet.');
    await until('the channel is watched', () => tail.output().out.includes('Nobody is here yet.'));
    const lines = (): string[] => tail.output().out.split('\n');
    return {
      lines,
      /** Waits for a line with this text. */
      line: (text: string): Promise<string> =>
        until(`tail shows ${text}`, () => lines().find((line) => line.includes(text))),
    };
  }

  #logOf(name: string): string {
    return join(this.directory, `${name}.log`);
  }

  #markOf(name: string): string {
    return `program-${String(process.pid)}-${name}-${this.daemon.token.slice(-8)}`;
  }
}

/** What agents published in a channel, oldest first. */
export const published = async (testChannel: TestChannel): Promise<string[]> =>
  (await testChannel.read()).filter((line) => !line.startsWith('owner: '));

export const sessionOf = ({ actorId }: Member): string => actorId.slice('session:'.length);
