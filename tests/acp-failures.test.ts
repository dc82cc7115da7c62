import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Member } from '@stoa/protocol';
import { LiveSocket, processesOf, until } from '@stoa/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProgramStage, published, sessionOf } from './program-stage.js';
import { ownerOf } from './stoa-command.js';

/** What people in a channel of the real daemon see of it. */
describe('an agent program that fails or is stopped', { timeout: 60_000 }, () => {
  let stage: ProgramStage;
  beforeAll(async () => {
    stage = await ProgramStage.open();
  });
  afterAll(() => stage.close());

  const asked = (member: Member): Promise<string> =>
    until('it asks', async () => {
      const path = `/v1/approvals?sessionId=${sessionOf(member)}&state=pending`;
      const { json } = await stage.owner.get<{ approvals: { approvalId: string }[] }>(path);
      return json.approvals[0]?.approvalId;
    });

  it('AC-8 the thread shows that a program was denied and stopped, and its next prompt has the reason', async () => {
    const room = await stage.room('denied');
    const tail = await stage.watch(room);
    const member = await room.invite('denied', stage.program('denied'));
    const call = {
      toolCallId: 'c',
      kind: 'execute',
      title: 'touch x',
      rawInput: { command: 'touch x' },
    };
    const root = await room.post(`@denied\n!permitted ${JSON.stringify(call)}`);
    const decision = { decision: 'deny', message: 'use make instead' };
    await stage.owner.post(`/v1/approvals/${await asked(member)}/answer`, decision);
    await room.closed(root.messageId);
    expect(await room.outcomes(root.messageId)).toEqual([['denied', 'failed']]);
    const line = await tail.line('denied failed: ');
    expect(line).toMatch(/was denied and stopped: touch x .*use make instead/);
    expect(line).toContain(`see: stoa why ${root.messageId}`);
    expect(line).not.toContain('passed');
    expect(await published(room)).toEqual([]);
    const why = await ownerOf(stage.daemon)(['why', root.messageId]);
    expect(why.out).toMatch(/denied failed: .*was denied and stopped: touch x .*use make instead/);
    for (const text of ['two', 'three']) {
      const next = await room.post(`@denied\n!say ${text}`);
      await room.closed(next.messageId);
    }
    const told = stage.prompts('denied').map((prompt) => prompt.includes('use make instead'));
    expect(told).toEqual([false, true, false]);
    expect(await published(room)).toEqual(['denied: two', 'denied: three']);
  });

  it('AC-17 a killed program is asked once more, and where a call had begun the thread shows which', async () => {
    const room = await stage.room('killed');
    const tail = await stage.watch(room);
    await room.invite('killed', stage.program('killed'));
    const again = await room.post('@killed\n!say I begin.\n!once exit 9\n!say I end.');
    await room.closed(again.messageId);
    expect(await room.outcomes(again.messageId)).toEqual([['killed', 'spoke']]);
    expect(await published(room)).toEqual(['killed: I begin.I end.']);
    expect(stage.prompts('killed')).toHaveLength(2);
    expect(stage.prompts('killed')[1]).toContain('!once exit 9');

    const root = await room.post('@killed\n!tool a execute {"command":"make"}\n!exit 9');
    await room.closed(root.messageId);
    expect(await room.outcomes(root.messageId)).toEqual([['killed', 'failed']]);
    const line = await tail.line('killed failed: ');
    expect(line).toMatch(/exit status 9.*These calls had begun: execute a/);
    expect(tail.lines().filter((shown) => shown.includes('killed failed: '))).toHaveLength(1);
    expect(stage.prompts('killed')).toHaveLength(3);
    expect(await published(room)).toHaveLength(1);
    const why = await ownerOf(stage.daemon)(['why', root.messageId]);
    expect(why.out).toMatch(/killed failed: .*These calls had begun: execute a/);
  });

  const chunk = (text: string): string =>
    `!raw ${JSON.stringify({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })}`;
  const codex = (meta: object): string =>
    `!raw ${JSON.stringify({ sessionUpdate: 'session_info_update', _meta: { codex: meta } })}`;

  it('AC-14 AC-15 an empty answer is a pass and an error of the model a failure: none is published', async () => {
    const room = await stage.room('erring');
    const tail = await stage.watch(room);
    await room.invite('erring', stage.program('erring'));
    const empty = 'Model stream ended with empty response text.';
    const silent = await room.post(`@erring\n!fail ${empty}`);
    await room.closed(silent.messageId);
    expect(await room.outcomes(silent.messageId)).toEqual([['erring', 'abstained']]);
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
      const { messageId } = await room.post(`@erring\n${prompt}`);
      await room.closed(messageId);
      expect([words, ...(await room.outcomes(messageId))]).toEqual([words, ['erring', 'failed']]);
      expect(await tail.line(`see: stoa why ${messageId}`)).toMatch(
        new RegExp(`erring failed: .*${words}`),
      );
    }
    expect(await published(room)).toEqual([]);
  });

  it('AC-15 while a program retries, a channel shows who waits and for what, until the answer comes', async () => {
    const room = await stage.room('busy');
    const tail = await stage.watch(room, '--json', '--drafts');
    await room.invite('busy', stage.program('busy'));
    const error = { message: 'stream disconnected (429)', willRetry: true };
    const over = join(stage.directory, 'retried');
    const root = await room.post(`@busy\n${codex({ error })}\n!until ${over}\n!say Here I am.`);
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
    expect(await room.outcomes(root.messageId)).toEqual([['busy', 'live']]);
    expect(await published(room)).toEqual([]);
    const late = await LiveSocket.open(stage.daemon.url, stage.daemon);
    await late.subscribe(room.topic, 0);
    await until('who comes later sees it too', () =>
      late.frames.some((frame) => JSON.stringify(frame).includes('[retrying: stream')),
    );
    late.terminate();
    writeFileSync(over, '');
    await room.closed(root.messageId);
    expect(await published(room)).toEqual(['busy: Here I am.']);
    await tail.line('"type":"draft_ended"');
  });

  it('AC-16 /cancel in the thread ends the command of a program and its children within 5 s', async () => {
    const room = await stage.room('running');
    await room.invite('running', stage.program('running'));
    const marker = `46${String(process.pid)}`;
    const root = await room.post(
      `@running\n!run (setsid nohup sleep ${marker}1 >/dev/null 2>&1 &); sleep ${marker}2 & sleep ${marker}3`,
    );
    const sleeping = (): number[] => processesOf('sleep', marker);
    await until('its commands run', () => sleeping().length === 3);
    const inThread = { threadRootMessageId: root.messageId };
    const at = Date.now();
    await room.post('/cancel', inThread);
    await until('they are dead', () => sleeping().length === 0, { timeoutMs: 5_000 });
    expect(Date.now() - at).toBeLessThan(5_000);
    await room.closed(root.messageId);
    expect(await room.outcomes(root.messageId)).toEqual([['running', 'cancelled']]);
    expect((await room.read()).at(-1)).toBe('Stoa: owner cancelled running.');
    const next = await room.post('@running\n!say I still work.');
    await room.closed(next.messageId);
    expect((await room.read()).at(-1)).toBe('running: I still work.');
  });
});
