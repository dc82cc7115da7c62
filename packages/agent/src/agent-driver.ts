import type { Driver } from '@stoa/core';
import type { DriverConfig } from '@stoa/protocol';

/** A driver that also judges definitions, as far as that is possible before a run. */
export interface AgentDriver extends Driver {
  /** Rejects with a StoaError when no agent of this configuration can work. Files are checked where a workspace is given. */
  assertSound(driver: DriverConfig, workspace?: string): Promise<void>;
  /** What an agent of this configuration needs here and does not find, though the configuration is sound. */
  lackOf(driver: DriverConfig): Promise<string | undefined>;
}
