import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { LIMITS } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { ASSET_BYTES } from './commands/send.js';
import { COUNT_LIMIT } from './commands/unread.js';
import type { Io } from './io.js';
import { main } from './main.js';

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function stoa(args: readonly string[], stdin = ''): Promise<Outcome> {
  let out = '';
  let err = '';
  const io: Io = {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    // Nothing listens on port 1.
    env: { STOA_HOME: path.join(os.tmpdir(), 'stoa-nowhere'), STOA_URL: 'http://127.0.0.1:1' },
    outIsTerminal: false,
    errIsTerminal: false,
    inIsTerminal: false,
    columns: undefined,
    now: () => 0,
    stdin: () => Promise.resolve(Buffer.from(stdin, 'latin1')),
    question: () => Promise.resolve(undefined),
    onInterrupt: () => () => undefined,
    outliveReaders: () => undefined,
    pipes: () => ({
      input: new ReadableStream({ start: (controller) => controller.close() }),
      output: new WritableStream(),
      close: () => undefined,
    }),
  };
  const code = await main(args, '9.9.9', io);
  return { code, out, err };
}

describe('the command line', () => {
  it('ends with 2, one line and where to look when it is wrong', async () => {
    expect(await stoa(['send', 'general', '--nonsense'])).toEqual({
      code: 2,
      out: '',
      err: "stoa: unknown option '--nonsense' (usage)\n  see: stoa send --help\n",
    });
    expect((await stoa(['channel', 'list', '--archived', 'maybe'])).err).toMatch(
      /^stoa: option '--archived <which>' argument 'maybe' is invalid\. .* \(usage\)\n {2}see: stoa channel list --help\n$/,
    );
    expect((await stoa(['sned'])).err).toBe(
      "stoa: unknown command 'sned' (usage)\n  (Did you mean send?)\n  see: stoa --help\n",
    );
    expect((await stoa(['approvals', 'foo'])).err).toBe(
      "stoa: unknown command 'foo' (usage)\n  see: stoa approvals --help\n",
    );
    expect((await stoa(['approvals', 'list', 'foo'])).err).toContain(
      "too many arguments for 'list'",
    );
    expect(await stoa(['tail'])).toMatchObject({ code: 2, out: '' });
    expect(await stoa(['tail', 'general', '--since', '-1'])).toMatchObject({ code: 2, out: '' });
  });

  it('shows help with 0 when asked, and with 2 when a command is missing', async () => {
    const asked = await stoa(['--help']);
    expect(asked).toMatchObject({ code: 0, err: '' });
    expect(asked.out).toContain('stoa send general "Hello, everyone"');
    expect((await stoa(['help', 'tail'])).out).toContain('--since <sequence>');
    const bare = await stoa([]);
    expect(bare).toMatchObject({ code: 2, out: '' });
    expect(bare.err).toContain('Usage: stoa');
    expect(await stoa(['channel'])).toMatchObject({ code: 2 });
  });

  it('prints the version', async () => {
    expect(await stoa(['--version'])).toEqual({ code: 0, out: '9.9.9\n', err: '' });
  });

  it('has a description for every command, argument and option', async () => {
    const commands = ['send', 'tail', 'history', 'search', 'unread', 'message', 'channel', 'login']
      .concat(['token', 'serve', 'status', 'doctor', 'backup', 'config', 'completion'])
      .concat(['run', 'acp', 'usage', 'agent', 'approvals', 'session', 'schedule'])
      .concat(['run', 'agent put', 'session send', 'session follow', 'approvals allow'])
      .concat(['session journal', 'schedule add']);
    for (const command of commands) {
      const { code, out } = await stoa([...command.split(' '), '--help']);
      expect({ command, code }).toEqual({ command, code: 0 });
      expect(out).not.toMatch(/^ {2}(?:-|<|\[)?\S+(?: <\w+>)?$/m);
    }
  });

  it('ends with 3 when no daemon answers, wherever its options stand', async () => {
    for (const args of [
      ['status'],
      ['--json', 'status'],
      ['channel', 'list', '--json'],
      ['send', 'general', 'hi'],
      ['tail', 'general', '-f'],
      ['run', 'hello'],
      ['run', 'hello', '--session', 'ses_1', '--no-approval-wait'],
      ['session', 'follow', 'ses_1'],
      ['approvals'],
      ['approvals', 'list', '--all'],
      ['usage', '--since', '7d'],
    ]) {
      expect({ args, ...(await stoa(args)) }).toEqual({
        args,
        code: 3,
        out: '',
        err:
          'stoa: no daemon answers at http://127.0.0.1:1 (daemon_unreachable)\n' +
          '  start one with: stoa serve (the address came from STOA_URL)\n',
      });
    }
  });

  it('takes text that begins with a dash after --, and a lone dash for standard input', async () => {
    expect(await stoa(['send', 'general', '--', '--not-an-option'])).toMatchObject({ code: 3 });
    expect(await stoa(['send', 'general', '-'], 'text\n')).toMatchObject({ code: 3 });
    for (const blank of ['\n', '\n\n', ' \t\n']) {
      expect(await stoa(['send', 'general', '-'], blank)).toMatchObject({
        code: 2,
        err: 'stoa: there is no text to send (usage)\n',
      });
    }
    expect(await stoa(['send', 'general', '   '])).toMatchObject({ code: 2 });
    // A program that is asked to press a key may be sent a space.
    expect(await stoa(['tasks', 'send', 'tsk_1', ' '])).toMatchObject({ code: 3 });
    expect(await stoa(['send', 'general', '-'], '\xff\xfe')).toMatchObject({
      code: 2,
      err: 'stoa: standard input is not UTF-8 text (usage)\n  send a file with: --attach FILE\n',
    });
  });

  it('checks attachments before it sends anything', async () => {
    const missing = await stoa(['send', 'general', 'look', '--attach', '/nowhere/plan.pdf']);
    expect(missing).toMatchObject({ code: 2 });
    const large = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'stoa-large-')), 'large.bin');
    fs.writeFileSync(large, '');
    fs.truncateSync(large, ASSET_BYTES + 1);
    expect(await stoa(['send', 'general', '--attach', large])).toMatchObject({
      code: 2,
      err: `stoa: ${large} is larger than 12 MiB (usage)\n`,
    });
    fs.rmSync(path.dirname(large), { recursive: true });
  });

  it('erases a channel only after a confirmation', async () => {
    expect(await stoa(['channel', 'delete', 'general'])).toMatchObject({ code: 2, out: '' });
    expect(await stoa(['channel', 'delete', 'general', '--yes'])).toMatchObject({ code: 3 });
  });

  it.each([
    [
      ['run', 'x', '--session', 'ses_1', '--mode', 'plan'],
      'already has an agent, a workspace and a mode',
    ],
    [['acp', '--session', 'ses_1', '--agent', 'x'], 'already has an agent and a mode'],
    [['run', 'x', '--mode', 'brave'], 'Allowed choices are plan, ask, auto-edit, full'],
    [['run', 'x', '--approval-wait', 'long'], 'Give a duration such as'],
    [['agent', 'put', 'x', '/nowhere/x.md'], '/nowhere/x.md cannot be read'],
    [['approvals', 'allow', 'apr_1', '--input', '{'], '--input is not JSON'],
    [['approvals', 'allow', 'apr_1', '--input', '{}', '--always', 'session'], 'cannot be combined'],
    [['schedule', 'add', 'x', '--session', 'ses_1'], 'no time is given'],
    [['schedule', 'add', 'x', '--every', '10m'], "required option '--session <session>'"],
    [
      ['schedule', 'add', 'x', '--session', 's', '--every', '1h', '--at', '2026-01-01'],
      'more than one kind of time',
    ],
    [['usage', '--since', 'lately'], '--since is neither a time nor a duration'],
    [
      ['history', 'lobby', '--after', '5', '--before', '3'],
      '--before and --after cannot be combined',
    ],
    [['work', 'update', 'lobby', 'msg_1'], 'there is nothing to change'],
    [['observation', 'source', 'update', 'src_1'], 'there is nothing to change'],
    [['schedule', 'add', 'x', '--session', 's', '--at', '2099-02-31T00:00'], '--at is not a time'],
    [['status', '--token-file', '/dev/null'], 'the token file /dev/null is empty'],
    [['session', 'send', 'ses_1'], "missing required argument 'text'"],
  ])('ends with 2 and says what to write: %j', async (args, message) => {
    const { code, out, err } = await stoa(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });

  it('has the limits of the contract', () => {
    expect(ASSET_BYTES).toBe(LIMITS.assetBytes);
    expect(COUNT_LIMIT).toBe(LIMITS.unreadCount);
  });

  it('has the version of its package in its entry', () => {
    const read = (file: string): string =>
      fs.readFileSync(path.join(import.meta.dirname, file), 'utf8');
    const { version } = JSON.parse(read('../package.json')) as { version: string };
    expect(read('stoa.ts')).toContain(`const VERSION = '${version}';`);
  });
});
