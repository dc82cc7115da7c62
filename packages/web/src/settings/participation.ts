import type { ParticipationMode } from '@stoa/protocol';
import type { Choice } from './fields.js';

const MODES: Readonly<Record<ParticipationMode, string>> = {
  manual_only: 'Never by itself',
  selected_only: 'When addressed, or nobody is',
  prefer_selected: 'Also when those addressed are silent',
  always_listen: 'Always',
};

export const PARTICIPATION: readonly Choice[] = Object.entries(MODES).map(([value, label]) => ({
  value,
  label,
}));
