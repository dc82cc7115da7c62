import type { Cadence } from '@stoa/protocol';
import { durationText, parseDuration } from './durations.js';
import { when } from './when.js';

/** How a cadence is written in a form. */
export interface WrittenCadence {
  readonly kind: Cadence['kind'];
  readonly every: string;
  readonly expression: string;
  readonly timeZone: string;
  /** As the browser's field for it has it: local, without a zone. */
  readonly at: string;
}

export function cadenceText(cadence: Cadence): string {
  switch (cadence.kind) {
    case 'interval':
      return `every ${durationText(cadence.everyMs)}`;
    case 'cron':
      return `${cadence.expression} (${cadence.timeZone})`;
    case 'once':
      return `once, ${when(cadence.at)}`;
  }
}

/** The cadence, or at which field what is written cannot be read. */
export function cadenceFrom(
  written: WrittenCadence,
): { readonly cadence: Cadence } | { readonly field: string; readonly problem: string } {
  switch (written.kind) {
    case 'interval': {
      const everyMs = parseDuration(written.every);
      return everyMs === undefined
        ? { field: 'cadence.everyMs', problem: 'Write it as 90s, 15m or 1h 30m.' }
        : { cadence: { kind: 'interval', everyMs } };
    }
    case 'cron':
      return {
        cadence: {
          kind: 'cron',
          expression: written.expression.trim(),
          timeZone: written.timeZone.trim(),
        },
      };
    case 'once': {
      const at = Date.parse(written.at);
      return Number.isNaN(at)
        ? { field: 'cadence.at', problem: 'Say when.' }
        : { cadence: { kind: 'once', at } };
    }
  }
}
