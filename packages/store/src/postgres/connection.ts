import type { Duplex } from 'node:stream';
import type pg from 'pg';
import { ConnectionLost, endsSession, isOutdatedPlan, undoesCommit } from './failure.js';

/** One connection with exclusive use, and whether it is still usable. */
export class Connection {
  #lost = false;
  #isSilent = false;
  #ahead: Promise<unknown>[] = [];
  #isHolding = false;
  readonly #stream: Duplex;
  readonly #limit: AnswerLimit;
  readonly #onError = (): void => {
    this.#lost = true;
  };

  constructor(
    private readonly client: pg.PoolClient,
    answerMs: number,
  ) {
    client.on('error', this.#onError);
    this.#stream = streamOf(client);
    this.#limit = new AnswerLimit(answerMs, () => {
      this.#isSilent = true;
      // This rejects the pending answers.
      this.#stream.destroy();
    });
  }

  /** Sends everything that `send` asks for in one write: separate writes cost more than the rest of sending. */
  inOnePiece<T>(send: () => T): T {
    this.#stream.cork();
    try {
      return send();
    } finally {
      this.#letGo();
      this.#stream.uncork();
    }
  }

  /**
   * Sends a statement together with the next awaited one and does not wait for its answer, which saves a round trip.
   * If it fails, the next awaited statement fails with its error. Inside a transaction nothing runs after an error; a
   * statement sent before BEGIN is answered must be harmless on its own.
   */
  ahead(config: pg.QueryConfig): void {
    if (!this.#isHolding) {
      this.#isHolding = true;
      this.#stream.cork();
    }
    const sent = this.#send(config);
    sent.catch(() => undefined);
    this.#ahead.push(sent);
  }

  async query(config: pg.QueryConfig): Promise<pg.QueryResult<pg.QueryResultRow>> {
    const ahead = this.#takeAhead();
    const sent = this.#send(config);
    this.#letGo();
    try {
      if (ahead.length > 0) {
        sent.catch(() => undefined);
        for (const earlier of ahead) await earlier;
      }
      return await sent;
    } catch (error) {
      await Promise.allSettled([...ahead, sent]);
      throw this.#judge(error);
    }
  }

  /** Waits for the statements that were sent ahead, and throws the first error. */
  async settle(): Promise<void> {
    this.#letGo();
    const outcomes = await Promise.allSettled(this.#takeAhead());
    const failure = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failure) throw this.#judge(failure.reason);
  }

  /** One or several statements without parameters. */
  async control(text: string): Promise<void> {
    await this.query({ text });
  }

  async commit(): Promise<void> {
    await this.settle();
    try {
      const { command } = await this.#send({ text: 'COMMIT' });
      if (command !== 'COMMIT') throw new Error(`COMMIT was answered with ${command}`);
    } catch (error) {
      if (undoesCommit(error)) throw error;
      this.#lost = true;
      throw new ConnectionLost('commit', error);
    }
  }

  /** Ends an open transaction. Never throws: if it fails, the connection is lost. */
  async rollback(): Promise<void> {
    await this.settle().catch(() => undefined);
    if (this.#lost || this.client.getTransactionStatus() === 'I') return;
    try {
      await this.#send({ text: 'ROLLBACK' });
    } catch {
      this.#lost = true;
    }
  }

  release(): void {
    this.#letGo();
    this.#limit.end();
    this.client.removeListener('error', this.#onError);
    this.client.release(this.#lost);
  }

  #send(config: pg.QueryConfig): Promise<pg.QueryResult<pg.QueryResultRow>> {
    const answer = this.client.query<pg.QueryResultRow>(config);
    this.#limit.expect(answer);
    return answer;
  }

  #letGo(): void {
    if (!this.#isHolding) return;
    this.#isHolding = false;
    this.#stream.uncork();
  }

  #takeAhead(): Promise<unknown>[] {
    const ahead = this.#ahead;
    if (ahead.length > 0) this.#ahead = [];
    return ahead;
  }

  #judge(error: unknown): unknown {
    if (this.#isSilent) {
      this.#lost = true;
      return new ConnectionLost('connecting', new Error('no answer in time'));
    }
    if (!this.#lost && !endsSession(error) && !isOutdatedPlan(error)) return error;
    this.#lost = true;
    return new ConnectionLost('before_commit', error);
  }
}

/** pg does not expose it; its version is pinned. */
function streamOf(client: pg.PoolClient): Duplex {
  return (client as unknown as { connection: { stream: Duplex } }).connection.stream;
}

/**
 * Detects a server that stopped answering: calls back when a request is open and no answer arrived for the limit.
 * Each answer restarts the wait, because the server answers requests that were sent together one after the other.
 */
class AnswerLimit {
  #outstanding = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly milliseconds: number,
    private readonly onSilence: () => void,
  ) {}

  expect(answer: Promise<unknown>): void {
    this.#outstanding += 1;
    if (this.#outstanding === 1) this.#wait();
    const answered = (): void => {
      this.#outstanding -= 1;
      this.#wait();
    };
    answer.then(answered, answered);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Refreshes one timer: a new one for each statement costs noticeable time. */
  #wait(): void {
    if (this.#timer) {
      this.#timer.refresh();
      return;
    }
    if (this.#outstanding === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#outstanding > 0) this.onSilence();
    }, this.milliseconds);
  }
}
