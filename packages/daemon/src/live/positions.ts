import { parseTopic, StoaError } from '@stoa/protocol';

export type Positions = ReadonlyMap<string, number>;

/** The positions of a reader in several topics as one event id: `channel:lobby=12,human:owner=3`. */
export function formatPositions(positions: Positions): string {
  return [...positions].map(([topic, seq]) => `${topic}=${String(seq)}`).join(',');
}

/** A bare number is the position in the only followed topic. */
export function parsePositions(text: string, topics: readonly string[]): Positions {
  const only = topics[0];
  if (/^\d{1,15}$/.test(text) && only !== undefined && topics.length === 1)
    return new Map([[only, Number(text)]]);
  const positions = new Map<string, number>();
  for (const part of text.split(',')) {
    const [, topic, seq] = /^([^=]+)=(\d{1,15})$/.exec(part) ?? [];
    if (topic === undefined || seq === undefined || !parseTopic(topic)) {
      throw new StoaError(
        'invalid_request',
        'A position is topic=sequence, several joined by commas',
      );
    }
    positions.set(topic, Number(seq));
  }
  return positions;
}
