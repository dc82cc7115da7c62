import { insertTopic, openSqlite, SqliteStore, type Store } from '@stoa/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { corePorts } from '../core-ports.fixture.js';
import { assemble } from './assemble.js';
import type { KernelPorts } from './kernel.js';
import { defineModule, logOnly } from './module.js';

const TOPIC = 'channel:lobby';

/** Owns the events of the test. */
const below = defineModule({
  name: 'below',
  needs: [],
  events: { member_left: logOnly },
  create: ({ log }) => ({
    services: {
      leave: (...memberIds: string[]) =>
        log.write({
          actor: 'system',
          lane: TOPIC,
          // eslint-disable-next-line require-yield -- nothing has to be loaded
          *open() {
            return undefined;
          },
          // eslint-disable-next-line require-yield -- the decision needs no statement
          *decide() {
            const events = memberIds.map((memberId) => ({
              topic: TOPIC,
              event: { type: 'member_left' as const, data: { memberId } },
            }));
            return { events, answer: (entries) => entries.map(({ seq }) => seq) };
          },
        }),
    },
  }),
});

describe('reactions to a commit', () => {
  let store: Store;
  const reports: unknown[] = [];

  beforeEach(async () => {
    reports.length = 0;
    store = new SqliteStore(openSqlite(':memory:'), { durability: 'relaxed' });
    await store.transact(() => insertTopic.run({ name: TOPIC }));
  });
  afterEach(() => store.close());

  const ports = (): KernelPorts => {
    const { runtime, ...others } = corePorts(store, { report: (error) => reports.push(error) });
    return { ...others, timers: runtime.timers, diagnose: runtime.diagnose };
  };

  it('run in the order of the modules, and one that throws is reported and stops no other', async () => {
    const seen: string[] = [];
    const defect = new Error('a defect');
    const reacting = <const Name extends string>(name: Name, failsFor?: string) =>
      defineModule({
        name,
        needs: [below],
        create: () => ({
          services: {},
          after: {
            member_left({ data: { memberId } }) {
              if (memberId === failsFor) throw defect;
              seen.push(`${name}: ${memberId}`);
            },
          },
        }),
      });
    const modules = [below, reacting('first', 'ada'), reacting('second')] as const;
    const core = assemble(modules, ports());
    core.onCommit((entries) => seen.push(`observer: ${String(entries.length)}`));

    expect(await core.leave('ada', 'bob')).toEqual([1, 2]);

    expect(seen).toEqual(['first: bob', 'second: ada', 'second: bob', 'observer: 2']);
    const message = 'first failed to react to member_left, event 1 of channel:lobby';
    expect(reports).toEqual([new Error(message)]);
    expect((reports[0] as Error).cause).toBe(defect);
  });

  it('does not compile without a port that a module needs', () => {
    const door = defineModule({
      name: 'door',
      needs: [],
      create: (_given, { doorbell }: { readonly doorbell: () => string }) => ({
        services: { ring: () => doorbell() },
      }),
    });
    expect(assemble([door], { ...ports(), doorbell: () => 'ding' }).ring()).toBe('ding');
    // @ts-expect-error -- `doorbell` is missing
    expect(() => assemble([door], ports()).ring()).toThrow(TypeError);
  });
});
