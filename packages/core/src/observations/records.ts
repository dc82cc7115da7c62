import type {
  NewObservation,
  Observation,
  ObservationSource,
  ObservationSourceSettings,
} from '@stoa/protocol';
import type { FullObservationRow, FullSourceRow } from '@stoa/store';

export function sourceRecord(row: FullSourceRow): ObservationSource {
  const { channelId, createdBy, createdAt, updatedAt } = row;
  const settings = JSON.parse(row.settings) as ObservationSourceSettings;
  return { ...settings, channelId, createdBy, createdAt, updatedAt };
}

export const observationRecord = (channelId: string, row: FullObservationRow): Observation =>
  observationOf(channelId, JSON.parse(row.received) as NewObservation, row.receivedAt);

export function observationOf(
  channelId: string,
  { proof: _, ...told }: NewObservation,
  receivedAt: number,
): Observation {
  return { ...told, channelId, receivedAt };
}
