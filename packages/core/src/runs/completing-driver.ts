import type { DriverKind } from '@stoa/protocol';
import { StoaError } from '@stoa/protocol';
import { isOutdated } from '../agents/outdated.js';
import { complete, isWithheld } from '../agents/withheld-values.js';
import type { SessionContext } from '../sessions/context.js';
import type { Driver, DriverEnd, RunContext } from './driver.js';

type FindAgent = SessionContext['findAgent'];

/** Wraps drivers so that they also receive the values that sessions do not store. */
export function completing(
  drivers: ReadonlyMap<DriverKind, Driver>,
  findAgent: FindAgent,
): ReadonlyMap<DriverKind, Driver> {
  return new Map(
    [...drivers].map(([kind, driver]) => [kind, new CompletingDriver(driver, findAgent)]),
  );
}

class CompletingDriver implements Driver {
  constructor(
    private readonly driver: Driver,
    private readonly findAgent: FindAgent,
  ) {}

  get kind() {
    return this.driver.kind;
  }

  get capabilities() {
    return this.driver.capabilities;
  }

  async execute(run: RunContext): Promise<DriverEnd> {
    const end = await this.#execute(run);
    if (end.type !== 'failed') return end;
    const { agentId, workspace, persona } = run.session;
    const used = { agentId, workspace, definition: persona.definition };
    if (!(await isOutdated(this.findAgent, used))) return end;
    const { failure } = end;
    // Without the id of the session: the web UI shows this text, and `stoa why` adds the whole command.
    const hint = `Definition changed: refresh the session of ${agentId} (stoa session refresh)`;
    return { ...end, failure: { ...failure, message: `${hint}. ${failure.message}` } };
  }

  async #execute(run: RunContext): Promise<DriverEnd> {
    if (!isWithheld(run.session.persona.definition)) return this.driver.execute(run);
    let completed: RunContext;
    try {
      completed = await this.#complete(run);
    } catch (error) {
      if (!(error instanceof StoaError)) throw error;
      const { code, message } = error;
      return { type: 'failed', failure: { phase: 'start', code, message } };
    }
    return this.driver.execute(completed);
  }

  forget(sessionId: string): void {
    this.driver.forget(sessionId);
  }

  close(): Promise<void> {
    return this.driver.close();
  }

  async #complete(run: RunContext): Promise<RunContext> {
    const { agentId, workspace, persona } = run.session;
    const { definition: current } = await this.findAgent(agentId, workspace);
    const definition = complete(persona.definition, current);
    return { ...run, session: { ...run.session, persona: { ...persona, definition } } };
  }
}
