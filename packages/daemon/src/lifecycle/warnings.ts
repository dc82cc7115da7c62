import type { StoreWait } from '@stoa/core';
import type { Config } from '../config/schema.js';

/** What the owner should know about the configuration of this daemon; shown at start and by `stoa status`. */
export function warningsOf(
  { durability, host }: Config,
  ofStore: readonly string[],
  outage?: StoreWait['outage'],
): string[] {
  const warnings: string[] = [...ofStore];
  if (outage) {
    const { code, since, waiting } = outage;
    const what = code === 'storage_full' ? 'is full' : 'cannot be reached';
    const from = new Date(since).toISOString();
    warnings.push(
      `the store ${what} since ${from}: ${String(waiting)} writes of runs wait until it is back`,
    );
  }
  if (durability === 'relaxed') {
    warnings.push('durability is relaxed: a power cut may lose messages that were acknowledged');
  }
  if (!['127.0.0.1', '::1', 'localhost'].includes(host)) {
    warnings.push(
      `listening on ${host} without encryption: put a TLS proxy in front, or use 127.0.0.1`,
    );
  }
  return warnings;
}
