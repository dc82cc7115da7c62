import type { Api } from '@stoa/client';
import { isTemporary } from '../data/failures.js';

/**
 * A session that a form needs before it can be sent:
 *
 *   none ──made──▶ made ──the form is taken──▶ theirs
 *                  made ──the form is refused──▶ ended: none
 *                  made ──nobody answers, or the page is closed──▶ made, and has a title that says what it was for
 *
 * Whether the form was taken is not known where nobody answers: then it stays, and the same form uses it again.
 */
export class SessionFor {
  private readonly made = new Map<string, string>();

  constructor(private readonly sessions: Pick<Api['sessions'], 'create' | 'end'>) {}

  /** `choice` is `session:ID`, or `agent:ID` for a new one of that agent. */
  async use<T>(choice: string, title: string, use: (sessionId: string) => Promise<T>): Promise<T> {
    const [kind, id = ''] = choice.split(/:(.*)/s);
    if (kind === 'session') return use(id);
    const sessionId = await this.sessionOf(id, title);
    try {
      return await use(sessionId);
    } catch (error) {
      if (!isTemporary(error)) await this.end(id, sessionId);
      throw error;
    }
  }

  private async sessionOf(agentId: string, title: string): Promise<string> {
    const known = this.made.get(agentId);
    if (known !== undefined) return known;
    const { sessionId } = await this.sessions.create({ agentId, title: title.slice(0, 200) });
    this.made.set(agentId, sessionId);
    return sessionId;
  }

  private async end(agentId: string, sessionId: string): Promise<void> {
    try {
      await this.sessions.end(sessionId);
      this.made.delete(agentId);
    } catch {
      // It is used when the form is sent again.
    }
  }
}
