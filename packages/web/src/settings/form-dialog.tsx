import { type ReactNode, type SubmitEvent, useId } from 'react';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { FormProblem } from './section.js';

interface FormDialogProps {
  readonly title: string;
  /** What the button at the end says that it does. */
  readonly deed: string;
  readonly look?: 'primary' | 'danger';
  readonly isDisabled: boolean;
  /** What is wrong with the whole of it; the daemon checks what is written, not the browser. */
  readonly problem: string | undefined;
  readonly wide?: boolean;
  /** Before the button. */
  readonly beside?: ReactNode;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A form in a dialog, with its button at the foot: there it is seen however long the form is. */
export function FormDialog(props: FormDialogProps) {
  const { title, deed, look = 'primary', isDisabled, problem, wide = false, beside } = props;
  const { onSubmit, onClose, children } = props;
  const id = useId();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!isDisabled) onSubmit();
  };
  return (
    <Dialog
      title={title}
      wide={wide}
      onClose={onClose}
      footer={
        <>
          {beside}
          <Button look={look} type="submit" form={id} disabled={isDisabled}>
            {deed}
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={submit} className={wide ? 'space-y-4' : 'space-y-3'} noValidate>
        {children}
        <FormProblem text={problem} />
      </form>
    </Dialog>
  );
}
