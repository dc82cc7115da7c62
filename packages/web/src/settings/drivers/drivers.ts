import type { DriverKind } from '@stoa/protocol';
import { acpForm } from './acp.js';
import { builtinForm } from './builtin.js';
import type { DriverForm } from './form.js';
import { scriptForm } from './script.js';

/** The form of every kind of driver, in the order of the list to choose from. */
export const DRIVER_FORMS: Readonly<Record<DriverKind, DriverForm>> = {
  builtin: builtinForm,
  acp: acpForm,
  script: scriptForm,
};
