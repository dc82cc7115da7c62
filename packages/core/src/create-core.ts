import { access } from './access/module.js';
import { agents } from './agents/module.js';
import { approvals } from './approvals/module.js';
import { assets } from './assets/module.js';
import { boards } from './boards/module.js';
import { channels } from './channels/module.js';
import { dreams } from './dreams/module.js';
import { inbox } from './inbox/module.js';
import { type Assembly, assemble } from './kernel/assemble.js';
import type { KernelPorts } from './kernel/kernel.js';
import type { AllServicesOf, PortsOf } from './kernel/module.js';
import { mailbox } from './mailbox/module.js';
import { memory } from './memory/module.js';
import { observations } from './observations/module.js';
import { projects } from './projects/module.js';
import { recovery } from './recovery/module.js';
import { runActions } from './run-actions/module.js';
import { runs } from './runs/module.js';
import { schedules } from './schedules/module.js';
import { sessions } from './sessions/module.js';
import { stimuli } from './stimuli/module.js';
import { subagents } from './subagents/module.js';
import { tasks } from './tasks/module.js';
import { turns } from './turns/module.js';
import { work } from './work/module.js';

/** The domain. Each module comes after those it needs. */
export const MODULES = [
  access,
  assets,
  memory,
  agents,
  sessions,
  channels,
  projects,
  approvals,
  runs,
  inbox,
  mailbox,
  work,
  turns,
  stimuli,
  observations,
  schedules,
  boards,
  tasks,
  subagents,
  dreams,
  runActions,
  recovery,
] as const;

export type CorePorts = Omit<KernelPorts, 'timers' | 'diagnose'> &
  PortsOf<typeof MODULES> & { readonly runtime: Pick<KernelPorts, 'timers' | 'diagnose'> };

/** What agents and their sessions need. */
export type RuntimePorts = CorePorts['runtime'];

/** Everything the domain offers: the services of all modules, and what the daemon does with modules. */
export interface Core extends Assembly, CoreServices {}
type CoreServices = AllServicesOf<typeof MODULES>;

/** Connects the domain to its ports. */
export function createCore(ports: CorePorts): Core {
  const { timers, diagnose } = ports.runtime;
  return assemble(MODULES, { ...ports, timers, diagnose });
}
