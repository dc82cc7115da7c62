import { Suspense } from 'react';
import { late } from '../app/late.js';
import { useKey } from '../keys/registry.js';
import { NewChannelDialog } from '../sidebar/new-channel.js';
import { askedDialog, useAskedDialog } from './asked-dialog.js';
import { Palette } from './palette.js';
import { palette, usePaletteMode } from './palette-state.js';

const AgentForm = late(async () => (await import('../settings/agent-form.js')).AgentForm);

/** Has the keys that open the palette, and shows it. It is not loaded late: who knows it types on at once. */
export function PaletteHost() {
  const mode = usePaletteMode();
  const asked = useAskedDialog();
  useKey('Mod+K', { does: 'Open the command palette' }, () => palette.open('all'));
  useKey('/', { does: 'Search messages' }, () => palette.open('messages'));
  return (
    <>
      {mode === undefined ? null : <Palette mode={mode} onClose={palette.close} />}
      {asked === 'new-channel' ? <NewChannelDialog onClose={askedDialog.close} /> : null}
      {asked === 'new-agent' ? (
        <Suspense>
          <AgentForm agent={undefined} onClose={askedDialog.close} />
        </Suspense>
      ) : null}
    </>
  );
}
