import { type Driver, decide } from '@stoa/core';
import { AgentFixture, type AgentFixtureOptions } from '@stoa/testkit';
import { onTestFinished } from 'vitest';
import { Sandbox } from '../tools/shell/sandbox.js';
import { AcpDriver, type AcpDriverPorts } from './acp-driver.js';

type DriverParts = Parameters<AgentFixtureOptions['driver']>[0];

export interface AcpStageOptions extends Omit<AgentFixtureOptions, 'driver'> {
  readonly ports?: (parts: DriverParts) => Partial<AcpDriverPorts>;
  readonly limits?: AcpDriverPorts['limits'];
  readonly hasSandbox?: boolean;
  /** Called with each text that is shown while the agent writes. */
  readonly watch?: (text: string) => void;
}

/** A stage with the ACP driver. It is closed after the test. */
export async function openStage({
  ports,
  limits = {},
  hasSandbox = true,
  watch,
  ...options
}: AcpStageOptions = {}): Promise<AgentFixture> {
  const stage = await AgentFixture.open({
    driver: (parts) => {
      const driver = new AcpDriver({
        ...parts,
        sandbox: new Sandbox({
          home: parts.home,
          writable: parts.writable,
          ...(hasSandbox ? {} : { bubblewrap: null }),
        }),
        decide,
        limits,
        ...ports?.(parts),
      });
      return watch ? watched(driver, watch) : driver;
    },
    ...options,
  });
  onTestFinished(() => stage.close());
  return stage;
}

/** Passes shown text on to `watch` too. */
function watched(driver: AcpDriver, watch: (text: string) => void): Driver {
  return {
    kind: driver.kind,
    capabilities: driver.capabilities,
    execute: (run) =>
      driver.execute({
        ...run,
        showText(step, text) {
          watch(text);
          run.showText(step, text);
        },
      }),
    forget: (sessionId) => {
      driver.forget(sessionId);
    },
    close: () => driver.close(),
  };
}

/** Access to an endpoint that no test calls. */
export const mcpFor =
  (tools: readonly string[], revoked: string[] = []): NonNullable<AcpDriverPorts['mcpFor']> =>
  ({ session: { sessionId } }) => ({
    url: 'http://127.0.0.1:1/mcp',
    token: `token-of-${sessionId}`,
    tools: new Set(tools),
    revoke: () => revoked.push(sessionId),
  });
