import type { ReactNode } from 'react';
import { Field, INPUT } from '../ui/field.js';

interface CommonProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly problem?: string | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly disabled?: boolean;
}

/** What a field passes on only where it was given. */
const about = ({ hint, problem, label }: CommonProps) => ({
  label,
  problem,
  ...(hint === undefined ? {} : { hint }),
});

interface TextFieldProps extends CommonProps {
  readonly placeholder?: string;
  readonly isCode?: boolean;
  readonly type?: 'text' | 'datetime-local';
  readonly suggestions?: readonly string[];
}

export function TextField(props: TextFieldProps) {
  const {
    value,
    onChange,
    placeholder,
    isCode = false,
    type = 'text',
    disabled,
    suggestions,
  } = props;
  return (
    <Field {...about(props)}>
      {(attributes) => (
        <>
          <input
            {...attributes}
            type={type}
            className={`${INPUT} disabled:opacity-60 ${isCode ? 'font-mono text-[12.5px]' : ''}`}
            value={value}
            placeholder={placeholder}
            disabled={disabled}
            autoComplete="off"
            spellCheck={!isCode}
            list={suggestions ? `${attributes.id}-list` : undefined}
            onChange={({ target }) => onChange(target.value)}
          />
          {suggestions ? (
            <datalist id={`${attributes.id}-list`}>
              {suggestions.map((each) => (
                <option key={each} value={each} />
              ))}
            </datalist>
          ) : null}
        </>
      )}
    </Field>
  );
}

interface TextAreaFieldProps extends CommonProps {
  readonly rows?: number;
  readonly isCode?: boolean;
  readonly placeholder?: string;
}

export function TextAreaField(props: TextAreaFieldProps) {
  const { value, onChange, rows = 3, isCode = false, placeholder, disabled } = props;
  return (
    <Field {...about(props)}>
      {(attributes) => (
        <textarea
          {...attributes}
          rows={rows}
          className={`${INPUT} h-auto min-h-16 resize-y py-1.5 whitespace-pre-wrap disabled:opacity-60 ${isCode ? 'font-mono text-[12.5px]' : ''}`}
          value={value}
          placeholder={placeholder}
          disabled={disabled}
          spellCheck={!isCode}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface SelectFieldProps extends CommonProps {
  readonly choices: readonly (
    | Choice
    | { readonly group: string; readonly choices: readonly Choice[] }
  )[];
}

export function SelectField(props: SelectFieldProps) {
  const { value, onChange, choices, disabled } = props;
  return (
    <Field {...about(props)}>
      {(attributes) => (
        <select
          {...attributes}
          className={`${INPUT} disabled:opacity-60`}
          value={value}
          disabled={disabled}
          onChange={({ target }) => onChange(target.value)}
        >
          {choices.map((choice) =>
            'group' in choice ? (
              <optgroup key={choice.group} label={choice.group}>
                {choice.choices.map(optionOf)}
              </optgroup>
            ) : (
              optionOf(choice)
            ),
          )}
        </select>
      )}
    </Field>
  );
}

const optionOf = ({ value, label }: Choice): ReactNode => (
  <option key={value} value={value}>
    {label}
  </option>
);
