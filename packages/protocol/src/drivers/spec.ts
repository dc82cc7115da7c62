import type { z } from 'zod';

/** What a driver can do with an active run. */
export interface DriverCapabilities {
  /** It can take a message at its next tool boundary. */
  readonly inject: boolean;
  /** Its agent reads files in its own process: neither rules nor people are asked about each read. */
  readonly readsWithoutApproval?: boolean;
}

/**
 * Everything that others need to know about one kind of driver; nobody else tests for a kind by name. To add a kind,
 * write its specification, list it in `drivers.ts`, and follow the compiler to its implementation, its form in the web
 * UI and its line in the CLI.
 */
export interface DriverSpec<Config extends { readonly kind: string } = { readonly kind: string }> {
  readonly kind: Config['kind'];
  /** The `driver` field of a definition. */
  readonly schema: z.ZodType<Config>;
  /** Known before the driver is loaded. */
  readonly capabilities: DriverCapabilities;
  /** It works with keys of the owner, who decides which agents other people may use. */
  readonly usesOwnerKeys: boolean;
  /** It offers Stoa's tools, so `tools` of a definition selects among them. */
  readonly usesStoaTools: boolean;
  /** Its model extracts notes from finished runs. */
  readonly extractsNotes: boolean;
  /** The command line of the program that it starts, as permission for it is asked. */
  program?(config: Config): readonly string[];
  /** Values that may be keys. Sessions do not keep them, and only the owner sees them. */
  readonly secrets?: {
    /** A field with a record of strings. */
    readonly field: string;
    /** What the values are for: they are not given to anything else. */
    recipient(config: Config): unknown;
  };
}

/** Fixes the type of the configuration by the schema. */
export const defineDriver = <S extends z.ZodType<{ readonly kind: string }>>(
  spec: Omit<DriverSpec<z.infer<S>>, 'schema'> & { readonly schema: S },
) => spec;
