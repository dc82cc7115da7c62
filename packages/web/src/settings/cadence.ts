import type { Cadence } from '@stoa/protocol';
import { durationText, parseDuration } from './durations.js';
import { emptyOf, type FieldProblems } from './problems.js';
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

/** As the contract has it. */
const LEAST_MS = 5_000;

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

const everyFrom = (text: string): number | string => {
  const everyMs = parseDuration(text);
  if (everyMs === undefined) return 'Write it as 90s, 15m or 1h 30m.';
  return everyMs < LEAST_MS ? `At least ${durationText(LEAST_MS)}.` : everyMs;
};

/** The cadence, or at which fields what is written cannot be read. */
export function cadenceFrom(
  written: WrittenCadence,
): { readonly cadence: Cadence } | { readonly unreadable: FieldProblems } {
  switch (written.kind) {
    case 'interval': {
      const everyMs = everyFrom(written.every);
      return typeof everyMs === 'string'
        ? { unreadable: { 'cadence.everyMs': everyMs } }
        : { cadence: { kind: 'interval', everyMs } };
    }
    case 'cron': {
      const expression = written.expression.trim();
      const timeZone = written.timeZone.trim();
      const unreadable = emptyOf({
        'cadence.expression': expression,
        'cadence.timeZone': timeZone,
      });
      return Object.keys(unreadable).length > 0
        ? { unreadable }
        : { cadence: { kind: 'cron', expression, timeZone } };
    }
    case 'once': {
      const at = Date.parse(written.at);
      return Number.isNaN(at)
        ? { unreadable: { 'cadence.at': 'Enter a date and time.' } }
        : { cadence: { kind: 'once', at } };
    }
  }
}
