/** A value refers to a variable that the daemon does not have. */
export class UnsetVariable extends Error {
  override readonly name = 'UnsetVariable';

  constructor(variable: string) {
    super(`the variable ${variable} is not set in the environment of the daemon`);
  }
}

/** Replaces `$NAME` and `${NAME}` by variables of the daemon, and `$$` by a dollar sign. */
export function expandVariables(
  values: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const expand = (value: string): string =>
    value.replace(
      /\$(?:\$|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/g,
      (_, bare?: string, braced?: string) => {
        const name = bare ?? braced;
        if (name === undefined) return '$';
        const found = environment[name];
        if (found === undefined) throw new UnsetVariable(name);
        return found;
      },
    );
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, expand(value)]));
}
