import type { Task } from '@stoa/protocol';

/*
 * What a kind says of a task is data of another program's version: it is shown as far as it is what is
 * expected, and left out otherwise.
 */

export function textField({ detail }: Task, name: string): string | undefined {
  const value = detail[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function numberField({ detail }: Task, name: string): number | undefined {
  const value = detail[name];
  return typeof value === 'number' ? value : undefined;
}

export function listField({ detail }: Task, name: string): readonly string[] {
  const value = detail[name];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${String(count)} ${count === 1 ? one : many}`;
