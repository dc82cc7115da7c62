import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answerApproval, LiveSocket, pendingApproval, processesOf, until } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProgramFixture, published, sessionOf } from './program-fixture.js';
import { ownerOf } from './stoa-command.js';

/** What people in a channel of the real daemon see of it. */
describe('an agent program that fails or is stopped', { timeout: 60_000 }, () => {
  let stage: ProgramFixture;
  beforeAll(async () => {
    stage = await ProgramFixture.open();
  });
  afterAll(() => stage.close());

  it('AC-8 the thread shows that a program was denied and stopped, and its next prompt has the reason', async () => {
    const testChannel = await stage.openChannel('denied');
    const tail = await stage.watch(testChannel);
    const member = await testChannel.invite('denied', stage.program('denied'));
    const call = {
      toolCallId: 'c',
      kind: 'execute',
      title: 'touch x',
      rawInput: { command: 'touch x' },
    };
    const root = await testChannel.post(`@denied\n!permitted ${JSON.stringify(call)}`);
    const decision = { decision: 'deny', message: 'use make instead' };
    const asked = await pendingApproval(stage.owner, sessionOf(member));
    await answerApproval(stage.owner, asked, decision);
    await testChannel.closed(root.messageId);
    expect(await testChannel.outcomes(root.messageId)).toEqual([['denied', 'failed']]);
    const line = await tail.line('denied failed: ');
    expect(line).toMatch(/was denied and stopped: touch x .*use make instead/);
    expect(line).toContain(`see: stoa why ${root.messageId}`);
    expect(line).not.toContain('passed');
    expect(await published(testChannel)).toEqual([]);
    const why = await ownerOf(stage.daemon)(['why', root.messageId]);
    expect(why.out).toMatch(/denied failed: .*was denied and stopped: touch x .*use make instead/);
    for (const text of ['two', 'three']) {
      const next = await testChannel.post(`@denied\n!say ${text}`);
      await testChannel.closed(next.messageId);
    }
    const informed = stage.prompts('denied').map((prompt) => prompt.includes('use make instead'));
    expect(informed).toEqual([false, true, false]);
    expect(await published(testChannel)).toEqual(['denied: two', 'denied: three']);
  });

  it('AC-17 a killed program is asked once more, and where a call had begun the thread shows which', async () => {
    const testChannel = await stage.openChannel('killed');
    const tail = await stage.watch(testChannel);
    await testChannel.invite('killed', stage.program('killed'));
    const again = await testChannel.post('@killed\n!say I begin.\n!once exit 9\n!say I end.');
    await testChannel.closed(again.messageId);
    expect(await testChannel.outcomes(again.messageId)).toEqual([['killed', 'spoke']]);
    expect(await published(testChannel)).toEqual(['killed: I begin.I end.']);
    expect(stage.prompts('killed')).toHaveLength(2);
    expect(stage.prompts('killed')[1]).toContain('!once exit 9');

    const root = await testChannel.post('@killed\n!tool a execute {"command":"make"}\n!exit 9');
    await testChannel.closed(root.messageId);
    expect(await testChannel.outcomes(root.messageId)).toEqual([['killed', 'failed']]);
    const line = await tail.line('killed failed: ');
    expect(line).toMatch(/exit status 9.*These calls had begun: execute a/);
    expect(tail.lines().filter((shown) => shown.includes('killed failed: '))).toHaveLength(1);
    expect(stage.prompts('killed')).toHaveLength(3);
    expect(await published(testChannel)).toHaveLength(1);
    const why = await ownerOf(stage.daemon)(['why', root.messageId]);
    expect(why.out).toMatch(/killed failed: .*These calls had begun: execute a/);
  });

  const chunk = (text: string): string =>
    `!raw ${JSON.stringify({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })}`;
  const codex = (meta: object): string =>
    `!raw ${JSON.stringify({ sessionUpdate: 'session_info_update', _meta: { codex: meta } })}`;

  it('AC-14 AC-15 an empty answer is a pass and an error of the model a failure: none is published', async () => {
    const testChannel = await stage.openChannel('erring');
    const tail = await stage.watch(testChannel);
    await testChannel.invite('erring', stage.program('erring'));
    const empty = 'Model stream ended with empty response text.';
    const silent = await testChannel.post(`@erring\n!fail ${empty}`);
    await testChannel.closed(silent.messageId);
    expect(await testChannel.outcomes(silent.messageId)).toEqual([['erring', 'abstained']]);
    await tail.line('erring passed: had nothing to say');

    const errors = [
      [empty, `!say Half an\n!fail ${empty}`],
      ['401 invalid API key', chunk('Error: 401 invalid API key')],
      ['404 model x not found', chunk('Info: Using model x\nError: 404 model x not found')],
      [
        'status 429: slow down',
        `${chunk('unexpected status 429: slow down')}\n${codex({ threadStatus: { type: 'systemError' } })}`,
      ],
      ['API Error: 500', chunk('API Error: 500 {"type":"error"}')],
      ['503 Service Unavailable', '!fail 503 Service Unavailable'],
    ] as const;
    for (const [words, prompt] of errors) {
      const { messageId } = await testChannel.post(`@erring\n${prompt}`);
      await testChannel.closed(messageId);
      expect([words, ...(await testChannel.outcomes(messageId))]).toEqual([
        words,
        ['erring', 'failed'],
      ]);
      expect(await tail.line(`see: stoa why ${messageId}`)).toMatch(
        new RegExp(`erring failed: .*${words}`),
      );
    }
    expect(await published(testChannel)).toEqual([]);
  });

  it('AC-15 while a program retries, a channel shows who waits and for what, until the answer comes', async () => {
    const testChannel = await stage.openChannel('busy');
    const tail = await stage.watch(testChannel, '--json', '--drafts');
    await testChannel.invite('busy', stage.program('busy'));
    const error = { message: 'stream disconnected (429)', willRetry: true };
    const over = join(stage.directory, 'retried');
    const root = await testChannel.post(
      `@busy\n${codex({ error })}\n!until ${over}\n!say Here I am.`,
    );
    const shown = JSON.parse(
      await tail.line('"text":"[retrying: stream disconnected (429)]"'),
    ) as Record<string, unknown>;
    expect(shown).toMatchObject({
      type: 'draft',
      memberId: 'busy',
      displayName: 'busy',
      threadRootMessageId: root.messageId,
    });
    // It is shown while the program waits, also to those who begin to watch now.
    expect(await testChannel.outcomes(root.messageId)).toEqual([['busy', 'live']]);
    expect(await published(testChannel)).toEqual([]);
    const late = await LiveSocket.open(stage.daemon.url, stage.daemon);
    await late.subscribe(testChannel.topic, 0);
    await until('who comes later sees it too', () =>
      late.frames.some((frame) => JSON.stringify(frame).includes('[retrying: stream')),
    );
    late.terminate();
    writeFileSync(over, '');
    await testChannel.closed(root.messageId);
    expect(await published(testChannel)).toEqual(['busy: Here I am.']);
    await tail.line('"type":"draft_ended"');
  });

  it('AC-16 /cancel in the thread ends the command of a program and its children within 5 s', async () => {
    const testChannel = await stage.openChannel('running');
    await testChannel.invite('running', stage.program('running'));
    const marker = `46${String(process.pid)}`;
    const root = await testChannel.post(
      `@running\n!run (setsid nohup sleep ${marker}1 >/dev/null 2>&1 &); sleep ${marker}2 & sleep ${marker}3`,
    );
    const sleeping = (): number[] => processesOf('sleep', marker);
    await until('its commands run', () => sleeping().length === 3);
    const inThread = { threadRootMessageId: root.messageId };
    const at = Date.now();
    await testChannel.post('/cancel', inThread);
    await until('they are dead', () => sleeping().length === 0, { timeoutMs: 5_000 });
    expect(Date.now() - at).toBeLessThan(5_000);
    await testChannel.closed(root.messageId);
    expect(await testChannel.outcomes(root.messageId)).toEqual([['running', 'cancelled']]);
    expect((await testChannel.read()).at(-1)).toBe('Stoa: owner cancelled running.');
    const next = await testChannel.post('@running\n!say I still work.');
    await testChannel.closed(next.messageId);
    expect((await testChannel.read()).at(-1)).toBe('running: I still work.');
  });
});
