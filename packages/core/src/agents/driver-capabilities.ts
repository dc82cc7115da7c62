import type { DriverKind } from '@stoa/protocol';

/** What a driver can do with a run that is under way. */
export interface DriverCapabilities {
  /** It can take a message at its next tool boundary. */
  readonly inject: boolean;
  /** Its agent reads files in a process of its own: neither rules nor people are asked about each read. */
  readonly readsUnasked?: boolean;
}

/** Known before a driver is loaded. Version 1 of ACP takes nothing in the middle of a turn. */
export const DRIVER_CAPABILITIES: Readonly<Record<DriverKind, DriverCapabilities>> = {
  builtin: { inject: true },
  script: { inject: true },
  acp: { inject: false, readsUnasked: true },
};
