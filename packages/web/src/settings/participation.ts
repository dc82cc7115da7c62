import type { ParticipationMode } from '@stoa/protocol';
import type { Choice } from './fields.js';

const MODES: Readonly<Record<ParticipationMode, string>> = {
  manual_only: 'Only manually',
  selected_only: 'When addressed, or when nobody is addressed',
  prefer_selected: 'Also when addressed members stay silent',
  always_listen: 'Always',
};

export const PARTICIPATION: readonly Choice[] = Object.entries(MODES).map(([value, label]) => ({
  value,
  label,
}));
