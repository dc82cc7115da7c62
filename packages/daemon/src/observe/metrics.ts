import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Metrics for operators; labels come from the route table, so their number is bounded. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Histogram({
    name: 'stoa_http_request_seconds',
    help: 'Time to answer a request',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [this.#registry],
  });
  readonly #events = new Counter({
    name: 'stoa_events_committed_total',
    help: 'Events committed by this daemon',
    registers: [this.#registry],
  });

  readonly #dreams = new Histogram({
    name: 'stoa_dream_seconds',
    help: 'Time that putting a memory in order took, by how it ended',
    labelNames: ['outcome'],
    buckets: [1, 5, 15, 60, 300],
    registers: [this.#registry],
  });

  constructor(streams: () => number) {
    collectDefaultMetrics({ register: this.#registry });
    watchEventLoop(this.#registry);
    new Gauge({
      name: 'stoa_live_streams',
      help: 'Live streams open now',
      registers: [this.#registry],
      collect() {
        this.set(streams());
      },
    });
  }

  observeRequest(
    route: string | undefined,
    method: string,
    status: number,
    milliseconds: number,
  ): void {
    this.#requests.observe({ route: route ?? 'none', method, status }, milliseconds / 1000);
  }

  countEvents(count: number): void {
    this.#events.inc(count);
  }

  countDream(outcome: string, milliseconds: number): void {
    this.#dreams.observe({ outcome }, milliseconds / 1000);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  render(): Promise<string> {
    return this.#registry.metrics();
  }
}

const TICK_MS = 10;

/** Shows delays caused by long work in the event loop. */
function watchEventLoop(registry: Registry): void {
  const delays = monitorEventLoopDelay({ resolution: TICK_MS });
  delays.enable();
  new Gauge({
    name: 'stoa_event_loop_delay_seconds',
    help: 'How late the event loop ran a timer since this was read last',
    labelNames: ['quantile'],
    registers: [registry],
    collect() {
      for (const quantile of [0.5, 0.99, 1]) {
        // The histogram measures the time between two ticks.
        const late = delays.percentile(quantile * 100) / 1e6 - TICK_MS;
        this.set({ quantile }, Math.max(0, late) / 1_000);
      }
      delays.reset();
    },
  });
}
