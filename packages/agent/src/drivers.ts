import type { DriverKind } from '@stoa/protocol';
import { AcpDriver, type AcpDriverPorts } from './acp/acp-driver.js';
import type { AgentDriver } from './agent-driver.js';
import { type BuiltinDriverSettings, createBuiltinDriver } from './builtin/builtin-driver.js';
import { ScriptDriver, type ScriptDriverPorts } from './script/script-driver.js';

/** The ports of all drivers; each uses some of them. */
type DriverPorts = AcpDriverPorts & BuiltinDriverSettings & ScriptDriverPorts;

const CREATE: Readonly<Record<DriverKind, (ports: DriverPorts) => AgentDriver>> = {
  builtin: createBuiltinDriver,
  acp: (ports) => new AcpDriver(ports),
  script: (ports) => new ScriptDriver(ports),
};

export type AgentDrivers = Readonly<Record<DriverKind, AgentDriver>>;

export function createDrivers(ports: DriverPorts): AgentDrivers {
  const made = Object.entries(CREATE).map(([kind, create]) => [kind, create(ports)]);
  return Object.fromEntries(made) as AgentDrivers;
}
