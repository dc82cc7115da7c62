import { flushSync } from 'react-dom';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { stay, useHeld } from './leaving.js';

/** Asks who is about to leave a form in which something was written. */
export function LeaveQuestion() {
  const held = useHeld();
  if (!held) return null;
  const go = (): void => {
    // It gives the focus back before what it was asked about goes too.
    flushSync(stay);
    held();
  };
  return (
    <Dialog
      title="Leave without saving?"
      onClose={stay}
      footer={
        <>
          <Button look="danger" onClick={go}>
            Leave
          </Button>
          <Button look="primary" data-first-focus onClick={stay}>
            Stay
          </Button>
        </>
      }
    >
      <p className="text-[13px]">What you have written here is not saved yet, and would be lost.</p>
    </Dialog>
  );
}
