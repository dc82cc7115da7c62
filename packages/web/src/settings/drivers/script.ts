import type { DriverConfigOf } from '@stoa/protocol';
import { type DriverForm, given } from './form.js';

export const scriptForm: DriverForm<DriverConfigOf<'script'>> = {
  label: 'A script',
  rows: [
    [
      {
        name: 'script',
        label: 'Script',
        control: 'area',
        rows: 8,
        placeholder: 'otherwise:\n  - say: Hello, ${from}.',
      },
    ],
    [{ name: 'file', label: 'Or a file in the workspace', control: 'text' }],
  ],
  blamed: 'script',
  draftOf: ({ script = '', file = '' }) => ({ script, file }),
  read: ({ script = '', file }) => ({
    driver: {
      kind: 'script',
      ...given('file', file),
      ...(script.trim() === '' ? {} : { script }),
    },
  }),
  summaryOf: () => 'a script',
};
