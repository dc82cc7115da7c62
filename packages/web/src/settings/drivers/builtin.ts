import type { DriverConfigOf } from '@stoa/protocol';
import { type DriverForm, given } from './form.js';

type Builtin = DriverConfigOf<'builtin'>;
const EMPTY: Builtin = { kind: 'builtin' };
const placeholder = 'the configured default';

export const builtinForm: DriverForm<Builtin> = {
  label: 'A model (built-in driver)',
  rows: [
    [
      { name: 'model', label: 'Model', control: 'text', placeholder },
      { name: 'provider', label: 'Provider', control: 'text', placeholder },
    ],
  ],
  draftOf: ({ model = '', provider = '' }) => ({ model, provider }),
  read({ provider, model }, before) {
    // Bounds that the form does not show.
    const { provider: _, model: __, ...bounds } = before?.kind === 'builtin' ? before : EMPTY;
    return { driver: { ...bounds, ...given('provider', provider), ...given('model', model) } };
  },
  summaryOf({ provider, model }) {
    const name = [provider, model].filter(Boolean).join('/');
    return name === '' ? 'the configured model' : name;
  },
};
