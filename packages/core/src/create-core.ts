import { type Assembly, assemble } from './kernel/assemble.js';
import type { KernelPorts } from './kernel/kernel.js';
import { type AllServicesOf, inOrderOfNeeds, type PortsOf } from './kernel/module.js';
import * as nouns from './nouns.js';

/** The domain. Each module comes after those it needs. */
export const MODULES = inOrderOfNeeds(Object.values(nouns));

export type CorePorts = Omit<KernelPorts, 'timers' | 'diagnose'> &
  PortsOf<typeof MODULES> & { readonly runtime: Pick<KernelPorts, 'timers' | 'diagnose'> };

/** The ports of agents and their sessions. */
export type RuntimePorts = CorePorts['runtime'];

/** The services of all modules, and what the daemon does with all modules together. */
export interface Core extends Assembly, CoreServices {}
type CoreServices = AllServicesOf<typeof MODULES>;

/** Connects the domain to its ports. */
export function createCore(ports: CorePorts): Core {
  const { timers, diagnose } = ports.runtime;
  return assemble(MODULES, { ...ports, timers, diagnose });
}
