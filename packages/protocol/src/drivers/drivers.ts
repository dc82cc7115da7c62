import { z } from 'zod';
import { ACP_DRIVER } from './acp.js';
import { BUILTIN_DRIVER } from './builtin.js';
import { SCRIPT_DRIVER } from './script.js';
import type { DriverSpec } from './spec.js';

/** Every kind of driver. */
const DRIVERS = [BUILTIN_DRIVER, ACP_DRIVER, SCRIPT_DRIVER] as const;

export const DriverConfig = z
  .discriminatedUnion('kind', each(DRIVERS, 'schema'))
  .meta({ 'x-unknown-code': 'unknown_driver' });
export type DriverConfig = z.infer<typeof DriverConfig>;
export const DriverKind = z.enum(each(DRIVERS, 'kind'));
export type DriverKind = z.infer<typeof DriverKind>;
export type DriverConfigOf<K extends DriverKind> = Extract<DriverConfig, { kind: K }>;

export const DRIVER_SPECS: ReadonlyMap<DriverKind, DriverSpec<DriverConfig>> = new Map(
  DRIVERS.map((spec) => [spec.kind, spec]),
);

/** Throws for a kind that is not listed; a validated definition has none. */
export function driverSpec(kind: DriverKind): DriverSpec<DriverConfig> {
  const spec = DRIVER_SPECS.get(kind);
  if (!spec) throw new Error(`there is no driver ${kind}`);
  return spec;
}

type FieldOfEach<T, K extends PropertyKey> = { [I in keyof T]: T[I][K & keyof T[I]] };

/** One field of each, as a tuple: `map` would lose the type of each element. */
function each<const T extends readonly object[], K extends keyof T[number]>(
  list: T,
  field: K,
): FieldOfEach<T, K> {
  const values: unknown = list.map((item: T[number]) => item[field]);
  return values as FieldOfEach<T, K>;
}
