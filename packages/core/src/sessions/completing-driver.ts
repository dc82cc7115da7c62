import type { DriverKind } from '@stoa/protocol';
import { StoaError } from '@stoa/protocol';
import { complete, isWithheld, withhold } from '../agents/withheld-values.js';
import { stableJson } from '../channels/stable-json.js';
import type { SessionContext } from './context.js';
import type { Driver, DriverEnd, RunContext } from './driver.js';

type FindAgent = SessionContext['findAgent'];

/** Drivers that are given the values too that sessions do not keep. */
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
    if (end.type !== 'failed' || !(await this.#isOutdated(run))) return end;
    const { failure } = end;
    const hint = `Definition changed: stoa session refresh ${run.session.sessionId}`;
    return { ...end, failure: { ...failure, message: `${hint}. ${failure.message}` } };
  }

  /** Whether its agent has another definition by now, which the session does not have yet. */
  async #isOutdated({ session }: RunContext): Promise<boolean> {
    const { agentId, workspace, persona } = session;
    try {
      const { definition } = await this.findAgent(agentId, workspace);
      return stableJson(withhold(definition)) !== stableJson(withhold(persona.definition));
    } catch {
      // It is gone or broken: there is nothing to take over.
      return false;
    }
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
