import type { DriverKind } from '@stoa/protocol';
import { DRIVER_FORMS } from './drivers/drivers.js';
import type { DriverField } from './drivers/form.js';
import { SelectField, TextAreaField, TextField } from './fields.js';

interface Written {
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

interface DriverFieldsProps {
  readonly kind: DriverKind;
  readonly problem: string | undefined;
  readonly onKind: (kind: DriverKind) => void;
  readonly field: (name: string) => Written;
}

const KINDS = Object.entries(DRIVER_FORMS).map(([value, { label }]) => ({ value, label }));

/** What executes the agent, and on which model. */
export function DriverFields({ kind, problem, onKind, field }: DriverFieldsProps) {
  return (
    <>
      <SelectField
        label="Driver"
        choices={KINDS}
        value={kind}
        problem={problem}
        onChange={(value) => onKind(value as DriverKind)}
      />
      {DRIVER_FORMS[kind].rows.map((row) => {
        const fields = row.map((each) => (
          <Control key={each.name} field={each} written={field(each.name)} />
        ));
        const [first] = row;
        return row.length === 1 ? (
          fields
        ) : (
          <div key={first?.name} className="grid gap-3 wide:grid-cols-2">
            {fields}
          </div>
        );
      })}
    </>
  );
}

function Control({ field, written }: { readonly field: DriverField; readonly written: Written }) {
  const { label, control, choices = [], placeholder, hint, rows } = field;
  const about = {
    label,
    ...written,
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(hint === undefined ? {} : { hint }),
  };
  switch (control) {
    case 'choice':
      return <SelectField label={label} choices={choices} {...written} />;
    case 'text':
      return <TextField isCode {...about} />;
    case 'area':
      return <TextAreaField isCode {...about} {...(rows === undefined ? {} : { rows })} />;
  }
}
