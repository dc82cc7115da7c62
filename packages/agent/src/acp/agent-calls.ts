import { type ClientContext, RequestError } from '@agentclientprotocol/sdk';
import type { Timers } from '@stoa/core';
import type { z } from 'zod';
import { AcpFailure } from './acp-failure.js';
import { readAnswer } from './answers.js';
import { within } from './within.js';

/**
 * Requests to an agent program. They reject with why the program ended, when it did, with a RequestError
 * when it answered with one, and with AcpFailure when its answer cannot be read.
 */
export class AgentCalls {
  constructor(
    private readonly agent: ClientContext,
    private readonly ended: Promise<AcpFailure | undefined>,
    private readonly timers: Timers,
  ) {}

  async request<T>(schema: z.ZodType<T>, method: string, params: unknown): Promise<T> {
    let answer: unknown;
    try {
      answer = await this.agent.request(method, params);
    } catch (error) {
      if (error instanceof RequestError) throw error;
      throw (await this.ended) ?? new AcpFailure('acp_exited', 'It was stopped');
    }
    return readAnswer(schema, method, answer);
  }

  /** A request that has to be answered in time. */
  async within<T>(
    milliseconds: number,
    schema: z.ZodType<T>,
    method: string,
    params: unknown,
  ): Promise<T> {
    const answer = await within(this.timers, milliseconds, this.request(schema, method, params));
    if (answer) return answer.value;
    const seconds = String(Math.round(milliseconds / 1_000));
    throw new AcpFailure('acp_timeout', `It did not answer ${method} within ${seconds} seconds`);
  }

  /** Tells it something; whether it hears it shows later. */
  tell(method: string, params: unknown): void {
    this.agent.notify(method, params).catch(() => undefined);
  }
}
