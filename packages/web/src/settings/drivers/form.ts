import type { DriverConfig } from '@stoa/protocol';

/** What is written in the fields of a driver, by their names. A field that another driver has too keeps its text. */
export type DriverDraft = Readonly<Record<string, string>>;

export interface DriverField {
  /** The field of the configuration that it is about. */
  readonly name: string;
  readonly label: string;
  readonly control: 'text' | 'area' | 'choice';
  readonly placeholder?: string;
  readonly hint?: string;
  readonly rows?: number;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
}

type ReadDriver<Config> =
  | { readonly driver: Config }
  /** What is wrong with a field, by its name. */
  | { readonly unreadable: Readonly<Record<string, string>> };

/** How one kind of driver is shown and edited. */
export interface DriverForm<Config extends DriverConfig = DriverConfig> {
  readonly label: string;
  /** Fields that stand side by side. */
  readonly rows: readonly (readonly DriverField[])[];
  /** The field to blame when the daemon refuses the definition without naming one. */
  readonly blamed?: string;
  draftOf(driver: Config): DriverDraft;
  /** `before` is the configuration that is edited, of any kind: fields that the form does not show are kept. */
  read(draft: DriverDraft, before: DriverConfig | undefined): ReadDriver<Config>;
  /** For lists. */
  summaryOf(driver: Config): string;
}

export const given = <K extends string>(name: K, text = ''): { [N in K]?: string } =>
  text.trim() === '' ? {} : ({ [name]: text.trim() } as { [N in K]: string });

export const listed = <K extends string>(name: K, list: string[]): { [N in K]?: string[] } =>
  list.length === 0 ? {} : ({ [name]: list } as { [N in K]: string[] });

export const linesOf = (text = ''): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
