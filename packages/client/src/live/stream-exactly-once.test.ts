import type { StreamFrame, StreamRequest } from '@stoa/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type StreamEffect, type StreamInput, StreamMachine } from './stream-machine.js';

const TOPICS = ['channel:a', 'channel:b', 'human:c'] as const;
type Topic = (typeof TOPICS)[number];

interface Log {
  head: number;
  oldest: number;
}

/** A daemon and a network, one step at a time: frames travel in order or die with their socket. */
class World {
  readonly machine = new StreamMachine();
  readonly logs = new Map<string, Log>(TOPICS.map((topic) => [topic, { head: 0, oldest: 1 }]));
  readonly read = new Map<string, StreamEffect[]>(TOPICS.map((topic) => [topic, []]));
  readonly start = new Map<string, number>();
  state: 'none' | 'opening' | 'open' | 'waiting' = 'none';
  private requests: StreamRequest[] = [];
  private frames: StreamFrame[] = [];
  private sent = new Map<string, number>();

  input(input: StreamInput): void {
    for (const effect of this.machine.handle(input)) {
      if (effect.type === 'open') this.state = 'opening';
      else if (effect.type === 'close') this.dropSocket('none');
      else if (effect.type === 'wait') this.state = 'waiting';
      else if (effect.type === 'stop_waiting') this.state = 'none';
      else if (effect.type === 'send') this.requests.push(effect.request);
      else if (effect.type === 'deliver') this.read.get(effect.topic)?.push(effect);
      else if (effect.type === 'following') {
        if (!this.start.has(effect.topic)) this.start.set(effect.topic, effect.after);
      } else throw new Error(`${effect.topic} ended: ${effect.problem.detail}`);
    }
  }

  post(topic: Topic): void {
    this.log(topic).head += 1;
  }

  trim(topic: Topic): void {
    const log = this.log(topic);
    log.oldest = Math.max(log.oldest, Math.floor(log.head / 2));
  }

  connect(): void {
    if (this.state === 'waiting') this.input({ type: 'retry' });
    if (this.state !== 'opening') return;
    this.state = 'open';
    this.input({ type: 'opened' });
  }

  cut(): void {
    if (this.state !== 'open' && this.state !== 'opening') return;
    this.dropSocket('none');
    this.input({ type: 'closed', refusal: undefined });
  }

  /** The daemon reads one request. */
  serve(): void {
    const request = this.requests.shift();
    if (!request) return;
    const { topic } = request;
    if (request.type === 'unsubscribe') {
      this.sent.delete(topic);
      this.frames.push({ type: 'unsubscribed', topic });
      return;
    }
    const { head, oldest } = this.log(topic);
    const after = request.after ?? head;
    this.frames.push({ type: 'subscribed', topic, after, head, oldest });
    if (after < oldest - 1) {
      this.frames.push({ type: 'gap', topic, after, oldest, reason: 'trimmed' });
    }
    this.sent.set(topic, Math.max(after, oldest - 1));
  }

  /** The daemon sends the next event of a topic; `again` repeats the one before it. */
  send(topic: Topic, again: boolean): void {
    const sent = this.sent.get(topic);
    if (sent === undefined) return;
    if (again && sent > 0) this.push(topic, sent);
    if (sent >= this.log(topic).head) return;
    this.push(topic, sent + 1);
    this.sent.set(topic, sent + 1);
  }

  /** A frame arrives at the client, or a faulty peer loses it. */
  arrive(lose: boolean): void {
    if (this.state !== 'open') return;
    const frame = this.frames.shift();
    if (frame && !(lose && frame.type === 'event')) this.input({ type: 'frame', frame });
  }

  settle(): void {
    for (const topic of TOPICS) {
      this.post(topic);
      this.input({ type: 'release', topic });
    }
    for (let round = 0; round < 1_000; round += 1) {
      this.connect();
      this.serve();
      for (const topic of TOPICS) this.send(topic, false);
      for (let each = 0; each < 4; each += 1) this.arrive(false);
    }
  }

  private push(topic: Topic, seq: number): void {
    const event = {
      type: 'channel_archived',
      data: {},
      topic,
      seq,
      at: 0,
      actor: 'system',
    } as const;
    this.frames.push({ type: 'event', event });
  }

  private dropSocket(state: 'none'): void {
    this.state = state;
    this.requests = [];
    this.frames = [];
    this.sent = new Map();
  }

  private log(topic: string): Log {
    const log = this.logs.get(topic);
    if (!log) throw new Error(`no topic ${topic}`);
    return log;
  }
}

const topic = fc.constantFrom(...TOPICS);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('post' as const), topic }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('send' as const), topic, flag: fc.boolean() }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('arrive' as const), flag: fc.constant(false) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('arrive' as const), flag: fc.constant(true) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('serve' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('connect' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cut' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('hold' as const), topic }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), topic }) },
);

const run = (
  world: World,
  steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[],
): void => {
  for (const each of steps) {
    if (each.do === 'post') world.post(each.topic);
    else if (each.do === 'send') world.send(each.topic, each.flag);
    else if (each.do === 'arrive') world.arrive(each.flag);
    else if (each.do === 'hold' || each.do === 'release') {
      world.input({ type: each.do, topic: each.topic });
    } else world[each.do]();
  }
};

function seqs(world: World, of: string): number[] {
  return (world.read.get(of) ?? []).flatMap((effect) =>
    effect.type === 'deliver' && 'seq' in effect.item ? [effect.item.seq] : [],
  );
}

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);

describe('a followed topic', () => {
  it('F-25 yields each event once and in order, across all failures of sockets', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const world = new World();
        world.input({ type: 'follow', topic: 'channel:a', after: 0 });
        world.input({ type: 'follow', topic: 'channel:b', after: undefined });
        world.input({ type: 'follow', topic: 'human:c', after: 0 });
        run(world, steps);
        world.settle();
        for (const of of TOPICS) {
          const from = world.start.get(of) ?? Number.NaN;
          expect(seqs(world, of)).toEqual(range(from + 1, world.logs.get(of)?.head ?? 0));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('F-26 has a gap exactly where events were trimmed before they could be read', () => {
    const trimming = fc.oneof(
      { weight: 12, arbitrary: step },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('trim' as const), topic }) },
    );
    fc.assert(
      fc.property(fc.array(trimming, { maxLength: 120 }), (steps) => {
        const world = new World();
        for (const of of TOPICS) world.input({ type: 'follow', topic: of, after: 0 });
        for (const each of steps) {
          if (each.do === 'trim') world.trim(each.topic);
          else run(world, [each]);
        }
        world.settle();
        for (const of of TOPICS) {
          const covered = (world.read.get(of) ?? []).flatMap((effect) => {
            if (effect.type !== 'deliver' || !('seq' in effect.item || effect.item.type === 'gap'))
              return [];
            return effect.item.type === 'gap'
              ? range(effect.item.after + 1, effect.item.oldest - 1)
              : [effect.item.seq];
          });
          expect(covered).toEqual(range(1, world.logs.get(of)?.head ?? 0));
        }
      }),
      { numRuns: 500 },
    );
  });
});
