import type { Driver } from '@stoa/core';
import type { DriverConfig } from '@stoa/protocol';

/** A driver that can also check definitions before a run. */
export interface AgentDriver extends Driver {
  /** Rejects with a StoaError if the configuration is invalid. Checks files if a workspace is given. */
  assertSound(driver: DriverConfig, workspace?: string): Promise<void>;
  /** What a valid configuration needs and this machine lacks, such as a program. */
  lackOf(driver: DriverConfig): Promise<string | undefined>;
}
