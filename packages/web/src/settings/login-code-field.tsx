import { TextField } from './fields.js';

interface LoginCodeFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly problem: string | undefined;
}

/** Makes sure that a person is there who can run commands, and not only a page that is open. */
export function LoginCodeField(props: LoginCodeFieldProps) {
  return (
    <TextField
      {...props}
      label="Login link"
      hint={
        <>
          Run <code className="rounded bg-code px-1 font-mono">stoa login</code> and paste the link
          it prints. This shows that it is you, and uses the link up.
        </>
      }
      isCode
    />
  );
}
