import * as nouns from '../nouns.js';
import type { HandlerPorts, Handlers } from './handler.js';

type Nouns = typeof nouns;
type HandlersOfAll<Create> = (
  Create extends (ports: HandlerPorts) => infer Some
    ? (some: Some) => void
    : never
) extends (all: infer All) => void
  ? All
  : never;

/** The handlers of all nouns. The compiler reports a route without one. */
export function createHandlers(ports: HandlerPorts): Handlers {
  const all = Object.values(nouns).map((create) => create(ports));
  return Object.assign({}, ...all) as HandlersOfAll<Nouns[keyof Nouns]>;
}
