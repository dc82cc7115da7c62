import { spawn } from 'node:child_process';
import { existsSync, promises as fs } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processesWith, sendSignal, until } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adoptCommand } from './adopted-command.js';
import { childEnvironment } from './child-environment.js';
import { type CommandRequest, startCommand } from './command.js';
import { CommandFiles } from './command-files.js';
import { readOutput } from './command-output.js';
import { startTimeOf } from './process-tree.js';
import type { RunningCommand } from './running-command.js';
import { Sandbox } from './sandbox.js';

let root: string;
beforeEach(async () => {
  root = await fs.realpath(await fs.mkdtemp(join(tmpdir(), 'stoa-released-')));
});
const started: RunningCommand[] = [];
afterEach(async () => {
  for (const running of started.splice(0)) await running.stop('test');
  await fs.rm(root, { recursive: true, force: true });
});

async function start(command: string, more: Partial<CommandRequest> = {}): Promise<RunningCommand> {
  const running = await startCommand({
    command,
    cwd: root,
    directory: join(root, 'tasks'),
    environment: childEnvironment(process.env),
    sandbox: new Sandbox({ home: join(root, 'home'), bubblewrap: null }),
    isReleased: true,
    ...more,
  });
  started.push(running);
  return running;
}

/** Adopts it like another daemon. */
async function adopt(running: RunningCommand): Promise<RunningCommand> {
  running.leave();
  const files = new CommandFiles(join(root, 'tasks'), running.id);
  const adopted = await adoptCommand(files, running.nonce);
  started.splice(0, started.length, adopted);
  return adopted;
}

const printed = async (running: RunningCommand, text: string): Promise<void> => {
  await until(`it has printed ${text}`, async () =>
    (await readOutput(running.outputPath, 10_000)).includes(text),
  );
};

/** A command that waits for a file before it ends. */
const WAITING = 'echo begun; until [ -e go ]; do sleep 0.02; done; echo after; exit 5';
const go = (): Promise<void> => fs.writeFile(join(root, 'go'), '');

describe('a released command', () => {
  it('T-16 is adopted by its files while it runs, with its exit and output', async () => {
    const running = await start(WAITING);
    await printed(running, 'begun');
    const adopted = await adopt(running);
    expect(adopted.pid).toBe(running.pid);
    expect(adopted.isOver).toBe(false);
    await go();
    expect(await adopted.wait()).toEqual({ type: 'exited', exitCode: 5 });
    expect(await readOutput(adopted.outputPath, 1_000)).toBe('begun\nafter\n');
  });

  it('T-16 is adopted after it ended, with its exit', async () => {
    const running = await start('echo done; exit 9');
    await running.wait();
    expect(await (await adopt(running)).wait()).toEqual({ type: 'exited', exitCode: 9 });
  });

  it('T-16 that ended before its adoption is not stopped: its exit is kept, and processes that it left are ended', async () => {
    const running = await start('setsid sleep 60 & echo done; exit 9');
    const files = new CommandFiles(join(root, 'tasks'), running.id);
    running.leave();
    await until('it has ended', async () => (await files.state(running.nonce)).type === 'exited');
    const adopted = await adopt(running);
    expect(adopted.isOver).toBe(true);
    expect(await adopted.stop('timeout')).toEqual({ type: 'exited', exitCode: 9 });
    expect(processesWith(`STOA_TASK=${running.nonce}`)).toEqual([]);
  });

  it('T-17 whose process id another process has by now is lost, and that process is not touched', async () => {
    const running = await start('sleep 60');
    const files = new CommandFiles(join(root, 'tasks'), running.id);
    await until('it runs', async () => (await files.state(running.nonce)).type === 'running');
    const status = await files.readStatus(running.nonce);
    await running.stop('test');
    // Start times are precise to a hundredth of a second, in which no process id is reused.
    const other = await until('another process has begun later', () => {
      const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
      if (startTimeOf(child.pid ?? 0) !== status?.startTime) return child;
      child.kill('SIGKILL');
      return undefined;
    });
    try {
      for (const changed of [{ pid: other.pid }, { pid: other.pid, bootId: 'another' }]) {
        const record = { ...status, exitCode: undefined, ...changed };
        await fs.writeFile(files.status, `${JSON.stringify(record)}\n`);
        const adopted = await adopt(running);
        expect(await adopted.wait()).toMatchObject({ type: 'lost' });
        await adopted.stop('somebody');
        expect(other.exitCode ?? other.signalCode).toBeNull();
        expect(existsSync(`/proc/${String(other.pid)}/stat`)).toBe(true);
      }
    } finally {
      other.kill('SIGKILL');
    }
  });

  it('T-17 that was about to be started, and was not, is lost', async () => {
    const files = new CommandFiles(join(root, 'tasks'), 'sh_none');
    files.writeIntent({ id: 'sh_none', nonce: 'none', command: 'true', cwd: root, at: 0 });
    const adopted = await adoptCommand(files, 'none');
    expect(await adopted.wait()).toMatchObject({
      type: 'lost',
      reason: expect.stringContaining('about to be started') as string,
    });
  });

  it('T-17 without files belongs to another data directory: it is lost here, and continues', async () => {
    const running = await start('echo begun; exec sleep 60');
    await printed(running, 'begun');
    const copied = await adoptCommand(
      new CommandFiles(join(root, 'copy', 'tasks'), running.id),
      running.nonce,
    );
    for (const end of [await copied.stop('idle'), await copied.wait()]) {
      expect(end).toMatchObject({
        type: 'lost',
        reason: expect.stringContaining('directory') as string,
      });
    }
    await copied.discard();
    expect(processesWith(`STOA_TASK=${running.nonce}`)).not.toEqual([]);
    expect(running.isOver).toBe(false);
  });

  it('T-2 that a signal from outside ends has that signal in its exit code', async () => {
    const running = await start('echo $$ >pid; exec sleep 60');
    const pid = await until('it says its number', () =>
      fs.readFile(join(root, 'pid'), 'utf8').then(
        (text) => Number(text) || undefined,
        () => undefined,
      ),
    );
    sendSignal(pid, 'SIGKILL');
    expect(await running.wait()).toEqual({ type: 'exited', exitCode: 137 });
  });

  it('T-2 that is killed with its wrapper is lost, with that signal', async () => {
    const running = await start('echo begun; sleep 60');
    await printed(running, 'begun');
    sendSignal(-(running.pid ?? 0), 'SIGKILL');
    expect(await running.wait()).toMatchObject({ type: 'lost', signal: 'SIGKILL' });
    expect(await (await adopt(running)).wait()).toMatchObject({ type: 'lost' });
  });

  it('T-2 continues if only its wrapper was killed, and its exit is recorded', async () => {
    const running = await start(WAITING);
    await printed(running, 'begun');
    sendSignal(running.pid, 'SIGKILL');
    const adopted = await adopt(running);
    await go();
    expect(await adopted.wait()).toEqual({ type: 'exited', exitCode: 5 });
  });
});

/** Reads what the processes of a command print, until all have printed. */
const STUBBORN = `trap '' TERM; echo here; while :; do sleep 300; done`;

describe.each(['spawned', 'adopted'])('stopping a command (%s)', (how) => {
  it('T-4 ends processes that ignore SIGTERM, left the session or forked twice', async () => {
    const running = await start(
      `(${STUBBORN}) & setsid bash -c "${STUBBORN}" & (setsid bash -c "(${STUBBORN}) &" &) ; wait`,
    );
    const mark = `STOA_TASK=${running.nonce}`;
    await until('all three are there', async () => {
      const text = await readOutput(running.outputPath, 1_000);
      return text.split('here\n').length === 4 && processesWith(mark).length >= 6;
    });
    const known = how === 'adopted' ? await adopt(running) : running;
    const begun = performance.now();
    const end = await known.stop('somebody');
    expect(end).toMatchObject({ type: 'stopped', by: 'somebody', signal: 'SIGKILL', isDead: true });
    expect(performance.now() - begun).toBeGreaterThanOrEqual(200);
    expect(processesWith(mark)).toEqual([]);
  });

  it('T-3 lets it clean up, and its exit code is known', async () => {
    const running = await start(`trap 'echo tidied; exit 3' TERM; echo ready; sleep 60 & wait`);
    await printed(running, 'ready');
    const known = how === 'adopted' ? await adopt(running) : running;
    expect(await known.stop('somebody')).toMatchObject({
      type: 'stopped',
      signal: 'SIGTERM',
      isDead: true,
      exitCode: 3,
    });
    expect(await readOutput(running.outputPath, 100)).toBe('ready\ntidied\n');
  });
});

it('T-35 a command with an input reads what is written to it, line by line', async () => {
  const running = await start('while read -r line; do echo "got $line"; done', {
    takesInput: true,
  });
  const { input } = running.files;
  await until('it is there', () => existsSync(input));
  expect((await fs.lstat(input)).isFIFO()).toBe(true);
  expect((await fs.lstat(input)).mode & 0o777).toBe(0o600);
  for (const text of ['one', 'two']) {
    const pipe = await fs.open(input, 'w');
    await pipe.write(`${text}\n`);
    await pipe.close();
    await printed(running, `got ${text}`);
  }
  expect((await running.stop('test')).type).toBe('stopped');
});
