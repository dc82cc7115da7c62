import type { EventBody } from '@stoa/protocol';
import type { EventRow, Json } from '@stoa/store';

/*
 * Only this file decodes stored JSON. Everything in the store was validated when it was written, so the type of a
 * column or an event determines the type of its JSON.
 */

export const decode = <T>(text: Json<T>): T => JSON.parse(text) as T;

export function decodeEvent({ type, body }: Pick<EventRow, 'type' | 'body'>): EventBody {
  return { type, data: JSON.parse(body) as unknown } as EventBody;
}

type DataOf<T extends EventBody['type']> = Extract<EventBody, { type: T }>['data'];

/** The data of an event whose type is known from the query that found it. */
export const dataOf = <T extends EventBody['type']>(
  _type: T,
  { body }: Pick<EventRow, 'body'>,
): DataOf<T> => JSON.parse(body) as DataOf<T>;

/** Values of a column that only one module of core reads and writes. */
export const decodeValue = (text: string): unknown => JSON.parse(text);
