import { StoaProblem } from '@stoa/client';
import type { Session } from '@stoa/protocol';
import { describe, expect, it } from 'vitest';
import { SessionFor } from './session-for.js';

class Sessions {
  readonly alive = new Map<string, string>();
  private count = 0;

  create = ({ title = '' }: { title?: string | undefined }): Promise<Session> => {
    this.count += 1;
    const sessionId = `ses_${this.count}`;
    this.alive.set(sessionId, title);
    return Promise.resolve({ sessionId } as Session);
  };

  end = (sessionId: string): Promise<Session> => {
    this.alive.delete(sessionId);
    return Promise.resolve({ sessionId } as Session);
  };
}

const refuse = (): Promise<never> =>
  Promise.reject(new StoaProblem('invalid_schedule', 400, 'no such minute'));
const lose = (): Promise<never> =>
  Promise.reject(new StoaProblem('daemon_unreachable', 503, 'away'));

describe('the session that a form needs', () => {
  it('is not left behind by a form that was refused', async () => {
    const sessions = new Sessions();
    const sessionFor = new SessionFor(sessions);
    await expect(sessionFor.use('agent:guide', 'Morning', refuse)).rejects.toMatchObject({
      code: 'invalid_schedule',
    });
    expect(sessions.alive.size).toBe(0);
    const used = await sessionFor.use('agent:guide', 'Morning', (id) => Promise.resolve(id));
    expect([...sessions.alive]).toEqual([[used, 'Morning']]);
  });

  it('is the same one where nobody knows whether the form was taken', async () => {
    const sessions = new Sessions();
    const sessionFor = new SessionFor(sessions);
    await expect(sessionFor.use('agent:guide', 'Morning', lose)).rejects.toMatchObject({
      code: 'daemon_unreachable',
    });
    const [made] = sessions.alive.keys();
    expect(await sessionFor.use('agent:guide', 'Morning', (id) => Promise.resolve(id))).toBe(made);
    expect(sessions.alive.size).toBe(1);
  });

  it('is left alone when it was there before', async () => {
    const sessions = new Sessions();
    sessions.alive.set('ses_old', 'Old');
    const sessionFor = new SessionFor(sessions);
    await expect(sessionFor.use('session:ses_old', 'New', refuse)).rejects.toThrow();
    expect([...sessions.alive]).toEqual([['ses_old', 'Old']]);
  });
});
