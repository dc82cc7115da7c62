import { execFileSync } from 'node:child_process';
import { promises as fs } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@stoa/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { childEnvironment } from './child-environment.js';
import { startCommand } from './command.js';
import { readOutput, readOutputTail } from './command-output.js';
import { OutputReader, readOutputRange } from './output-range.js';
import type { RunningCommand } from './running-command.js';
import { Sandbox } from './sandbox.js';
import { HEAD_BYTES, PART_BYTES } from './wrapper.js';

let root: string;
beforeEach(async () => {
  root = await fs.realpath(await fs.mkdtemp(join(tmpdir(), 'stoa-output-')));
});
const started: RunningCommand[] = [];
afterEach(async () => {
  for (const running of started.splice(0)) await running.stop('test');
  await fs.rm(root, { recursive: true, force: true });
});

async function start(command: string, id?: string): Promise<RunningCommand> {
  const running = await startCommand({
    command,
    cwd: root,
    directory: join(root, 'tasks'),
    environment: childEnvironment(process.env),
    sandbox: new Sandbox({ home: root, bubblewrap: null }),
    isReleased: true,
    ...(id === undefined ? {} : { id }),
  });
  started.push(running);
  return running;
}

/** Every line is its own offset in the output, so that a missing or additional byte is noticed. */
const LINE = 16;
const numbers = (total: number): string =>
  `awk 'BEGIN { for (at = 0; at < ${total}; at += ${LINE}) printf "%015d\\n", at }'`;
function expectOffsets(bytes: Buffer, from: number): void {
  const skip = (LINE - (from % LINE)) % LINE;
  for (let at = skip; at + LINE <= bytes.length; at += LINE) {
    const expected = `${String(from + at).padStart(15, '0')}\n`;
    if (bytes.toString('latin1', at, at + LINE) !== expected) {
      expect(bytes.toString('latin1', at, at + LINE), `at ${String(from + at)}`).toBe(expected);
    }
  }
}

/** Reads an output while it is printed, until the command has ended and everything was read. */
async function* follow(path: string, isOver: () => boolean) {
  const reader = new OutputReader(path, 0);
  try {
    for (;;) {
      const isLast = isOver();
      const { bytes, dropped } = await reader.read(64 * 1024);
      if (bytes.length > 0 || dropped) {
        yield { offset: reader.offset - bytes.length, bytes, dropped };
      } else if (isLast) return;
      else await sleep(5);
    }
  } finally {
    await reader.close();
  }
}

describe('the output of a command', () => {
  it('T-14 is read by offset, in pieces that fit together', async () => {
    const total = HEAD_BYTES + PART_BYTES + LINE * 1_000;
    const running = await start(numbers(total));
    await running.wait();
    let offset = 0;
    const chunks: Buffer[] = [];
    for (;;) {
      const range = await readOutputRange(running.outputPath, offset, 999_983);
      expect(range.total).toBe(total);
      expect(range.dropped).toBeUndefined();
      if (range.bytes.length === 0) break;
      chunks.push(range.bytes);
      offset = range.nextOffset;
    }
    expect(offset).toBe(total);
    expectOffsets(Buffer.concat(chunks), 0);
    expect(Buffer.concat(chunks)).toHaveLength(total);
    const whole = await readOutputRange(running.outputPath, 0, total * 2);
    expect(whole).toMatchObject({ total, nextOffset: total, from: 0 });
    expect(whole.bytes).toHaveLength(total);
  });

  it('T-14 reports which bytes were dropped, and continues after them', async () => {
    const total = HEAD_BYTES + 5 * PART_BYTES + LINE * 10;
    const running = await start(numbers(total));
    await running.wait();
    const head = await readOutputRange(running.outputPath, 0, total);
    expect(head).toMatchObject({ nextOffset: HEAD_BYTES, total });
    const rest = await readOutputRange(running.outputPath, head.nextOffset, total);
    expect(rest.dropped).toEqual({ from: HEAD_BYTES, to: HEAD_BYTES + 4 * PART_BYTES });
    expect(rest.nextOffset).toBe(total);
    expectOffsets(rest.bytes, rest.from);
    expect(await readOutputRange(running.outputPath, total, 10)).toMatchObject({
      nextOffset: total,
    });
    expect(await readOutputTail(running.outputPath, LINE)).toBe(
      `${String(total - LINE).padStart(15, '0')}\n`,
    );
    let at = 0;
    for await (const chunk of follow(running.outputPath, () => true)) {
      if (at === HEAD_BYTES) expect(chunk.dropped).toEqual(rest.dropped);
      else expect(chunk.dropped).toBeUndefined();
      expect(chunk.offset).toBe(chunk.dropped?.to ?? at);
      expectOffsets(chunk.bytes, chunk.offset);
      at = chunk.offset + chunk.bytes.length;
    }
    expect(at).toBe(total);
  });

  it('T-14 is followed while it is printed, over all rotations, and no byte is read twice', async () => {
    const total = HEAD_BYTES + 6 * PART_BYTES + LINE * 7;
    // It waits for its reader regularly, so that nothing is dropped before it was read.
    const every = PART_BYTES / 4;
    const command = `awk 'BEGIN { for (at = 0; at < ${total}; at += ${LINE}) { printf "%015d\\n", at
      if (at % ${every} == 0) { fflush(); system("until test -e read-" at "; do sleep 0.01; done") } } }'`;
    const running = await start(command);
    let isOver = false;
    void running.wait().then(() => {
      isOver = true;
    });
    let [at, waiting] = [0, 0];
    for await (const chunk of follow(running.outputPath, () => isOver)) {
      expect(chunk.dropped).toBeUndefined();
      expect(chunk.offset).toBe(at);
      expectOffsets(chunk.bytes, chunk.offset);
      at += chunk.bytes.length;
      for (; waiting < at; waiting += every) await fs.writeFile(join(root, `read-${waiting}`), '');
    }
    expect(at).toBe(total);
    // At the end, most of it was dropped.
    const { dropped } = await readOutputRange(running.outputPath, HEAD_BYTES, LINE);
    expect(dropped).toBeDefined();
  });

  it('T-14 is read once, and then empty until more is printed', async () => {
    const running = await start('echo here; until [ -e go ]; do sleep 0.02; done; echo more');
    const reader = new OutputReader(running.outputPath, 0);
    const readText = async () => (await reader.read(100)).bytes.toString() || undefined;
    expect(await until('it has printed', readText)).toBe('here\n');
    expect(await readText()).toBeUndefined();
    await fs.writeFile(join(root, 'go'), '');
    expect(await until('it has printed more', readText)).toBe('more\n');
    await reader.close();
  });

  it('T-18 is neither written nor read through a link', async () => {
    await fs.mkdir(join(root, 'tasks'));
    const victim = join(root, 'victim');
    await fs.writeFile(victim, 'untouched');
    const device = join(root, 'pipe');
    execFileSync('mkfifo', [device]);
    for (const [id, target] of [
      ['sh_file', victim],
      ['sh_new', join(root, 'made')],
      ['sh_pipe', device],
    ] as const) {
      await fs.symlink(target, join(root, 'tasks', `shell-${id}.output`));
      const running = await start('echo through; sleep 0.1', id);
      expect(await running.outputLost).not.toBe('');
      expect(await running.wait()).toMatchObject({
        type: 'exited',
        outputLost: expect.any(String) as string,
      });
      await expect(readOutputRange(running.outputPath, 0, 100)).rejects.toMatchObject({
        code: 'ELOOP',
      });
      expect(await readOutput(running.outputPath, 100)).toMatch(/is not read/);
    }
    expect(await fs.readFile(victim, 'utf8')).toBe('untouched');
    expect(await fs.readdir(root)).not.toContain('made');
  });

  it('T-18 that is replaced by a link while it runs is not read, nor is its status', async () => {
    const running = await start('echo mine; until [ -e go ]; do sleep 0.02; done; exit 4');
    await until('it has printed', async () =>
      (await readOutput(running.outputPath, 100)).includes('mine'),
    );
    const secret = join(root, 'secret');
    await fs.writeFile(secret, 'secret');
    for (const path of [running.outputPath, running.files.status]) {
      await fs.rm(path);
      await fs.symlink(secret, path);
    }
    await expect(readOutputRange(running.outputPath, 0, 100)).rejects.toMatchObject({
      code: 'ELOOP',
    });
    expect(await running.files.readStatus(running.nonce)).toBeUndefined();
    await fs.writeFile(join(root, 'go'), '');
    expect(await running.wait()).toMatchObject({ type: 'exited', exitCode: 4 });
    expect(await fs.readFile(secret, 'utf8')).toBe('secret');
  });

  it('T-18 is not created if a link replaces its status or its directory', async () => {
    await fs.mkdir(join(root, 'tasks'));
    await fs.symlink(join(root, 'made'), join(root, 'tasks', 'shell-sh_status.status'));
    await expect(start('true', 'sh_status')).rejects.toMatchObject({ code: 'EEXIST' });
    await fs.rm(join(root, 'tasks'), { recursive: true });
    await fs.mkdir(join(root, 'elsewhere'));
    await fs.symlink(join(root, 'elsewhere'), join(root, 'tasks'));
    await expect(start('true')).rejects.toMatchObject({ code: 'ENOTDIR' });
    expect(await fs.readdir(join(root, 'elsewhere'))).toEqual([]);
  });
});
