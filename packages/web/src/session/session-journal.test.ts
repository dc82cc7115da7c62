import { StoaProblem } from '@stoa/client';
import type { Session, Stamped } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { SessionJournal } from './session-journal.js';

const AWAY = new StoaProblem('daemon_unreachable', 503, 'no daemon answers');
const note = (seq: number): Stamped =>
  ({ type: 'note', topic: 'session:s', seq, at: seq, actor: 'a', data: { text: 'n' } }) as never;

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the journal of a session', () => {
  it('is read when the daemon is back, if it was away when the session was opened', async () => {
    let isAway = true;
    const answer = <T>(value: T): Promise<T> =>
      isAway ? Promise.reject(AWAY) : Promise.resolve(value);
    const journal = new SessionJournal('s', {
      client: {
        sessions: {
          get: () => answer({ headSeq: 500 } as Session),
          journal: {
            async *pages(_, { after = 0 } = {}) {
              yield await answer({ entries: [note(after + 1)] });
            },
          },
        },
      },
      live: {
        listen: (_, listener) => {
          listener({ type: 'ready' });
          return () => undefined;
        },
      },
    });
    journal.watch(() => undefined);
    await tick();
    expect(journal.view).toMatchObject({ status: 'failed', problem: 'no daemon answers' });
    isAway = false;
    journal.recover();
    await tick();
    expect(journal.view).toMatchObject({ status: 'ready', hasOlder: true });
    expect(journal.view.events.map(({ seq }) => seq)).toEqual([101]);

    // A failed request for more is reported and can be repeated.
    isAway = true;
    await expect(journal.loadOlder()).rejects.toBe(AWAY);
    isAway = false;
    await journal.loadOlder();
    expect(journal.view.events.map(({ seq }) => seq)).toEqual([1, 101]);
  });
});
