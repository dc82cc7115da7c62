import type { Benchmark } from '../benchmark.js';
import { type Figure, figureOf } from '../measure/figure.js';
import { type Audience, deliveryRates } from './fanout-rate.js';
import { underStalledReaders } from './fanout-stalled.js';

const AUDIENCES: readonly (Audience & { readonly part: string })[] = [
  { part: '100 readers', readers: 100, stalled: 0 },
  { part: '500 readers', readers: 500, stalled: 0 },
  { part: '100 readers, 10 stalled', readers: 100, stalled: 10 },
  { part: '500 readers, 10 stalled', readers: 500, stalled: 10 },
];
const GROWTH_LIMIT_MEGABYTES = 20;

const EXTENTS = {
  short: {
    rate: { pairs: 6, seconds: 3, warmUp: 1 },
    stalled: { pairs: 5, seconds: 4, warmUp: 2 },
  },
  long: {
    rate: { pairs: 80, seconds: 50, warmUp: 10 },
    stalled: { pairs: 60, seconds: 60, warmUp: 20 },
  },
} as const;

export const fanout: Benchmark = {
  description: 'deliveries to 100 and 500 WebSockets ÷ bare ws broadcast; with stalled readers',
  async run(form, scope) {
    const { rate, stalled } = EXTENTS[form];
    const figures: Figure[] = [];
    for (const { part, ...audience } of AUDIENCES) {
      const pairs = await scope.within((inner) => deliveryRates(inner, audience, rate));
      figures.push(figureOf({ bench: 'fanout', part, unit: 'deliveries/s', goal: '>=0.6' }, pairs));
    }
    const { p99, growthMegabytes } = await underStalledReaders(scope, stalled);
    const growth = [{ ours: growthMegabytes, peer: GROWTH_LIMIT_MEGABYTES }];
    return [
      ...figures,
      figureOf(
        { bench: 'fanout', part: 'healthy p99, 10 stalled ÷ none', unit: 'ms', goal: '<=1.2' },
        p99,
      ),
      figureOf(
        { bench: 'fanout', part: 'growth, 10 stalled ÷ limit', unit: 'MB', goal: '<=1' },
        growth,
      ),
    ];
  },
};
