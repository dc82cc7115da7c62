import type { Backup, IntegrityReport, Status } from '@stoa/protocol';
import type { Caller, CallOptions } from '../http/caller.js';

export interface OperationsApi {
  status(options?: CallOptions): Promise<Status>;
  /** `directory` is on the machine of the daemon. */
  backup(directory?: string, options?: CallOptions): Promise<Backup>;
  check(options?: CallOptions): Promise<IntegrityReport>;
}

export function operationsApi(call: Caller): OperationsApi {
  return {
    status: (options) => call('status', { ...options }),
    backup: (directory, options) =>
      call('createBackup', { body: directory === undefined ? {} : { directory }, ...options }),
    check: (options) => call('checkIntegrity', { ...options }),
  };
}
