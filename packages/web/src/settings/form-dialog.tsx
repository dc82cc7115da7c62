import { type ReactNode, useId, useState } from 'react';
import { leave, useUnsaved } from '../app/leaving.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { Form, FormSays } from './form.js';
import type { FormProblems } from './problems.js';

interface FormDialogProps {
  readonly title: string;
  /** What the button at the end says that it does. */
  readonly deed: string;
  /** A dangerous form contains only a confirmation. */
  readonly look?: 'primary' | 'danger';
  readonly isDisabled: boolean;
  /** The daemon checks what is written, not the browser. */
  readonly problems: FormProblems;
  readonly wide?: boolean;
  /** Before the button. */
  readonly beside?: ReactNode;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A form in a dialog, with its button at the foot: there it is seen however long the form is. */
export function FormDialog(props: FormDialogProps) {
  const { title, deed, look = 'primary', isDisabled, problems, wide = false, beside } = props;
  const { onSubmit, onClose, children } = props;
  const id = useId();
  const [isWritten, setWritten] = useState(false);
  useUnsaved(isWritten && look === 'primary');
  return (
    <Dialog
      title={title}
      wide={wide}
      onClose={() => leave(onClose)}
      footer={
        <>
          <FormSays problems={problems} />
          {beside}
          <Button look={look} type="submit" form={id} disabled={isDisabled}>
            {deed}
          </Button>
        </>
      }
    >
      <Form
        id={id}
        problems={problems}
        isDisabled={isDisabled}
        onSubmit={onSubmit}
        onInput={() => setWritten(true)}
        className={wide ? 'space-y-4' : 'space-y-3'}
      >
        {children}
      </Form>
    </Dialog>
  );
}
