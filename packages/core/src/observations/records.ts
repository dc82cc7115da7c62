import type { NewObservation, Observation, ObservationSource } from '@stoa/protocol';
import type { FullObservationRow, FullSourceRow } from '@stoa/store';
import { decode } from '../kernel/codec.js';

export function sourceRecord(row: FullSourceRow): ObservationSource {
  const { channelId, createdBy, createdAt, updatedAt } = row;
  const settings = decode(row.settings);
  return { ...settings, channelId, createdBy, createdAt, updatedAt };
}

export const observationRecord = (channelId: string, row: FullObservationRow): Observation =>
  observationOf(channelId, decode(row.received), row.receivedAt);

export function observationOf(
  channelId: string,
  { proof: _, ...observation }: NewObservation,
  receivedAt: number,
): Observation {
  return { ...observation, channelId, receivedAt };
}
