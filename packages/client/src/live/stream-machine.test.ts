import type { Stamped, StreamFrame } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { StoaProblem } from '../problem.js';
import { type StreamEffect, StreamMachine } from './stream-machine.js';

const topic = 'channel:general';

const stamped = (seq: number, of = topic): Stamped => ({
  type: 'channel_archived',
  data: {},
  topic: of,
  seq,
  at: 0,
  actor: 'system',
});

const event = (seq: number, of = topic): { type: 'frame'; frame: StreamFrame } => ({
  type: 'frame',
  frame: { type: 'event', event: stamped(seq, of) },
});
const subscribed = (after: number, head = after): { type: 'frame'; frame: StreamFrame } => ({
  type: 'frame',
  frame: { type: 'subscribed', topic, after, head, oldest: 1 },
});
const frame = (content: StreamFrame): { type: 'frame'; frame: StreamFrame } => ({
  type: 'frame',
  frame: content,
});
const delivered = (effects: StreamEffect[]): number[] =>
  effects.flatMap((effect) =>
    effect.type === 'deliver' && 'seq' in effect.item ? [effect.item.seq] : [],
  );
const kinds = (effects: StreamEffect[]): string[] => effects.map(({ type }) => type);

function following(after: number | undefined, at: number): StreamMachine {
  const machine = new StreamMachine();
  machine.handle({ type: 'follow', topic, after });
  machine.handle({ type: 'opened' });
  machine.handle(subscribed(at));
  return machine;
}

describe('StreamMachine', () => {
  it("opens one socket for all topics and subscribes each at its reader's position", () => {
    const machine = new StreamMachine();
    expect(machine.handle({ type: 'follow', topic, after: 7 })).toEqual([{ type: 'open' }]);
    expect(machine.handle({ type: 'follow', topic: 'human:a', after: undefined })).toEqual([]);
    expect(machine.handle({ type: 'opened' })).toEqual([
      { type: 'send', request: { type: 'subscribe', topic, after: 7 } },
      { type: 'send', request: { type: 'subscribe', topic: 'human:a' } },
    ]);
  });

  it('F-25 requests the events after the last delivered one when it reconnects', () => {
    const machine = following(3, 3);
    expect(delivered(machine.handle(event(4)))).toEqual([4]);
    expect(machine.handle({ type: 'closed', refusal: undefined })).toEqual([
      { type: 'wait', attempt: 0, reason: 'connection_lost' },
    ]);
    expect(machine.handle({ type: 'retry' })).toEqual([{ type: 'open' }]);
    expect(machine.handle({ type: 'opened' })).toEqual([
      { type: 'send', request: { type: 'subscribe', topic, after: 4 } },
    ]);
  });

  it('remembers the position of "from now", also if nothing has happened since', () => {
    const machine = following(undefined, 41);
    machine.handle({ type: 'closed', refusal: undefined });
    machine.handle({ type: 'retry' });
    expect(machine.handle({ type: 'opened' })).toEqual([
      { type: 'send', request: { type: 'subscribe', topic, after: 41 } },
    ]);
  });

  it('drops delivered events', () => {
    const machine = following(0, 0);
    const seqs = [1, 2, 1, 2, 3].flatMap((seq) => delivered(machine.handle(event(seq))));
    expect(seqs).toEqual([1, 2, 3]);
  });

  it('closes a socket that would leave a gap, and waits longer each time until an event fits', () => {
    const machine = following(0, 0);
    const hole = (): StreamEffect[] => machine.handle(event(3));
    expect(kinds(hole())).toEqual(['close', 'wait']);
    machine.handle({ type: 'retry' });
    machine.handle({ type: 'opened' });
    machine.handle(subscribed(0));
    expect(hole()).toContainEqual({ type: 'wait', attempt: 1, reason: 'connection_lost' });
  });

  it('waits longer after each failed attempt, and resets when it is subscribed', () => {
    const machine = following(0, 0);
    const attempts: (number | undefined)[] = [];
    const lose = (): void => {
      const [wait] = machine.handle({ type: 'closed', refusal: undefined });
      attempts.push(wait?.type === 'wait' ? wait.attempt : undefined);
      machine.handle({ type: 'retry' });
    };
    lose();
    lose();
    lose();
    machine.handle({ type: 'opened' });
    machine.handle(subscribed(0));
    lose();
    expect(attempts).toEqual([0, 1, 2, 0]);
  });

  it('F-26 delivers a gap at its position and continues after it', () => {
    const machine = following(2, 2);
    const gap = frame({ type: 'gap', topic, after: 2, oldest: 10, reason: 'trimmed' });
    expect(machine.handle(gap)).toEqual([
      { type: 'deliver', topic, item: { type: 'gap', topic, after: 2, oldest: 10 } },
    ]);
    expect(delivered(machine.handle(event(10)))).toEqual([10]);
  });

  it('F-27 reconnects after it was disconnected as a slow reader, without a gap', () => {
    const machine = following(2, 2);
    machine.handle(frame({ type: 'gap', topic, after: 2, oldest: 1, reason: 'slow_reader' }));
    machine.handle(frame({ type: 'closing', reason: 'slow_reader' }));
    expect(machine.handle({ type: 'closed', refusal: undefined })).toEqual([
      { type: 'wait', attempt: 0, reason: 'slow_reader' },
    ]);
    machine.handle({ type: 'retry' });
    expect(machine.handle({ type: 'opened' })).toEqual([
      { type: 'send', request: { type: 'subscribe', topic, after: 2 } },
    ]);
  });

  it('reconnects after the daemon could not read its log, without a gap', () => {
    const machine = following(2, 2);
    expect(machine.handle(frame({ type: 'closing', reason: 'unavailable' }))).toEqual([]);
    expect(machine.handle({ type: 'closed', refusal: undefined })).toEqual([
      { type: 'wait', attempt: 0, reason: 'unavailable' },
    ]);
    machine.handle({ type: 'retry' });
    expect(machine.handle({ type: 'opened' })).toEqual([
      { type: 'send', request: { type: 'subscribe', topic, after: 2 } },
    ]);
  });

  it('reports that the daemon was shutting down', () => {
    const machine = following(0, 0);
    machine.handle(frame({ type: 'closing', reason: 'shutdown' }));
    expect(machine.handle({ type: 'closed', refusal: undefined })).toEqual([
      { type: 'wait', attempt: 0, reason: 'shutdown' },
    ]);
  });

  it('F-35 ends every topic when the credential is revoked', () => {
    const machine = following(0, 0);
    machine.handle({ type: 'follow', topic: 'human:a', after: 0 });
    const effects = machine.handle(frame({ type: 'closing', reason: 'revoked' }));
    expect(kinds(effects)).toEqual(['end', 'end', 'close']);
    expect(effects[0]).toMatchObject({ problem: { code: 'unauthenticated', status: 401 } });
    expect(machine.handle({ type: 'closed', refusal: undefined })).toEqual([]);
  });

  it('ends a topic that may not be read, and no other', () => {
    const machine = following(0, 0);
    machine.handle({ type: 'follow', topic: 'human:b', after: 0 });
    const refused = frame({ type: 'error', topic: 'human:b', code: 'forbidden', detail: 'no' });
    expect(machine.handle(refused)).toMatchObject([
      { type: 'end', topic: 'human:b', problem: { code: 'forbidden', status: 403 } },
    ]);
    expect(delivered(machine.handle(event(1)))).toEqual([1]);
  });

  it('ends if the upgrade is refused, but retries if the daemon is only unavailable', () => {
    const refusal = (code: 'unauthenticated' | 'shutting_down', status: number): StreamEffect[] => {
      const machine = new StreamMachine();
      machine.handle({ type: 'follow', topic, after: 0 });
      return machine.handle({ type: 'closed', refusal: new StoaProblem(code, status, 'no') });
    };
    expect(kinds(refusal('unauthenticated', 401))).toEqual(['end']);
    expect(kinds(refusal('shutting_down', 503))).toEqual(['wait']);
  });

  it('retries when the daemon cannot reach its store', () => {
    const machine = following(0, 0);
    const error = frame({ type: 'error', topic, code: 'storage_unavailable', detail: 'later' });
    expect(kinds(machine.handle(error))).toEqual(['close', 'wait']);
  });

  it('ends if the topic is shorter than the position of the reader', () => {
    const machine = new StreamMachine();
    machine.handle({ type: 'follow', topic, after: 9 });
    machine.handle({ type: 'opened' });
    expect(machine.handle(subscribed(9, 4))).toMatchObject([
      { type: 'end', problem: { code: 'topic_not_found' } },
      { type: 'close' },
    ]);
  });

  it('unsubscribes a slow reader and subscribes again at its position', () => {
    const machine = following(0, 0);
    machine.handle(event(1));
    expect(machine.handle({ type: 'hold', topic })).toEqual([
      { type: 'send', request: { type: 'unsubscribe', topic } },
    ]);
    expect(machine.handle(event(2))).toEqual([]);
    expect(machine.handle({ type: 'release', topic })).toEqual([
      { type: 'send', request: { type: 'subscribe', topic, after: 1 } },
    ]);
  });

  describe('with drafts of agents in a channel', () => {
    const draft = (runId: string, offset: number, text: string) =>
      frame({
        type: 'draft',
        topic,
        runId,
        memberId: 'bee',
        displayName: 'Bee',
        threadRootMessageId: 'msg_1',
        replyToMessageId: 'msg_1',
        offset,
        text,
      });
    const over = (effects: StreamEffect[]): string[] =>
      effects.flatMap((effect) =>
        effect.type === 'deliver' && effect.item.type === 'draft_ended' ? [effect.item.runId] : [],
      );

    it('C-68 passes on a draft, and its end once', () => {
      const machine = following(0, 0);
      expect(machine.handle(draft('run_1', 0, 'Hel'))).toMatchObject([
        { type: 'deliver', item: { type: 'draft', text: 'Hel' } },
      ]);
      const ended = frame({ type: 'draft_ended', topic, runId: 'run_1', messageId: 'msg_2' });
      expect(over(machine.handle(ended))).toEqual(['run_1']);
      expect(machine.handle(ended)).toEqual([]);
    });

    it('C-68 ends drafts when it can receive nothing more about them', () => {
      const machine = following(0, 0);
      machine.handle(draft('run_1', 0, 'a'));
      machine.handle(draft('run_2', 0, 'b'));
      expect(over(machine.handle({ type: 'hold', topic }))).toEqual(['run_1', 'run_2']);
      expect(machine.handle(draft('run_1', 1, 'late'))).toEqual([]);
      const other = following(0, 0);
      other.handle(draft('run_1', 0, 'a'));
      expect(over(other.handle({ type: 'closed', refusal: undefined }))).toEqual(['run_1']);
    });
  });

  describe('with chunks of text', () => {
    const session = 'session:ses_1';
    const chunk = (step: number, offset: number, text: string, runId = 'run_1') =>
      frame({ type: 'text_chunk', topic: session, runId, step, offset, text });
    const ofRun = {
      runId: 'run_1',
      origin: {},
      identity: { id: 'a', displayName: 'A' },
      memoryScope: { namespace: 'a', mode: 'metadata-only' as const },
    };
    const wrote = (seq: number, step: number) =>
      frame({
        type: 'event',
        event: {
          ...stamped(seq, session),
          type: 'model_message',
          data: { step, parts: [], finishReason: 'stop', ...ofRun },
        },
      });
    const ended = (seq: number) =>
      frame({
        type: 'event',
        event: { ...stamped(seq, session), type: 'completed', data: { output: [], ...ofRun } },
      });
    const texts = (effects: StreamEffect[]): string[] =>
      effects.flatMap((effect) =>
        effect.type === 'deliver' && effect.item.type === 'text_chunk' ? [effect.item.text] : [],
      );
    const live = (): StreamMachine => {
      const machine = new StreamMachine();
      machine.handle({ type: 'follow', topic: session, after: 0 });
      machine.handle({ type: 'opened' });
      machine.handle(frame({ type: 'subscribed', topic: session, after: 0, head: 0, oldest: 1 }));
      return machine;
    };

    it('R-7 passes them on as separate items, which do not change the sequence', () => {
      const machine = live();
      expect(texts(machine.handle(chunk(0, 0, 'Hel')))).toEqual(['Hel']);
      expect(texts(machine.handle(chunk(0, 3, 'lo')))).toEqual(['lo']);
      expect(delivered(machine.handle(wrote(1, 0)))).toEqual([1]);
      machine.handle({ type: 'closed', refusal: undefined });
      machine.handle({ type: 'retry' });
      expect(machine.handle({ type: 'opened' })).toEqual([
        { type: 'send', request: { type: 'subscribe', topic: session, after: 1 } },
      ]);
    });

    it('drops those of an earlier subscription', () => {
      const machine = live();
      machine.handle({ type: 'hold', topic: session });
      expect(machine.handle(chunk(0, 0, 'a'))).toEqual([]);
      machine.handle({ type: 'release', topic: session });
      expect(machine.handle(chunk(0, 1, 'b'))).toEqual([]);
    });

    it('R-4 drops those after their message, or after the end of their run', () => {
      const machine = live();
      machine.handle(wrote(1, 0));
      expect(machine.handle(chunk(0, 0, 'late'))).toEqual([]);
      expect(texts(machine.handle(chunk(1, 0, 'next')))).toEqual(['next']);
      machine.handle(ended(2));
      expect(machine.handle(chunk(1, 4, 'late'))).toEqual([]);
      expect(texts(machine.handle(chunk(0, 0, 'other', 'run_2')))).toEqual(['other']);
    });
  });

  it('closes the socket, or stops waiting for one, with the last topic', () => {
    expect(following(0, 0).handle({ type: 'unfollow', topic })).toEqual([{ type: 'close' }]);
    const machine = following(0, 0);
    machine.handle({ type: 'closed', refusal: undefined });
    expect(machine.handle({ type: 'unfollow', topic })).toEqual([{ type: 'stop_waiting' }]);
    expect(machine.handle({ type: 'retry' })).toEqual([]);
  });
});
