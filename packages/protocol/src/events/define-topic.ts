import { z } from 'zod';

type Options = readonly z.ZodObject<{ type: z.ZodLiteral<string>; data: z.ZodType }>[];

/** The events of a topic. Lazy: few starts need them, and building all takes a tenth of a start. */
type Events = z.ZodLazy<z.ZodDiscriminatedUnion<Options>>;

/** A kind of topic: returns the name of the topic of an id, such as `channel:lobby`. */
export interface Topic<Kind extends string = string, E extends Events = Events> {
  (id: string): string;
  readonly kind: Kind;
  readonly events: E;
}

/** Declares a kind of topic and its events. */
export const defineTopic = <const Kind extends string, E extends Events>(
  kind: Kind,
  events: E,
): Topic<Kind, E> => Object.assign((id: string) => `${kind}:${id}`, { kind, events });

/** Whether an export of a noun is its topic. */
export const isTopic = (value: unknown): value is Topic =>
  typeof value === 'function' && 'kind' in value && 'events' in value;

/** An event with these fields. */
export const event = <T extends string, S extends z.ZodRawShape>(type: T, data: S) =>
  z.strictObject({ type: z.literal(type), data: z.strictObject(data) });
