/** Variables of the daemon that commands get. */
const PASSED: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'USER',
  'LOGNAME',
  'SHELL',
]);
const SECRET =
  /^STOA_|KEY|TOKEN|SECRET|PASS(?:WORD|WD|PHRASE)?|CREDENTIAL|AUTH(?!OR)|COOKIE|SESSION|PRIVATE|BEARER|DSN|DATABASE_URL/i;

/** Whether the name of a variable suggests a secret. */
export const isSecretName = (name: string): boolean => SECRET.test(name);

/** No colours, no pager and no prompt that would wait for input. */
const FIXED = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
} as const;

/** The environment of an agent's commands. `also` names further variables; names that suggest a secret are left out. */
export function childEnvironment(
  source: Readonly<NodeJS.ProcessEnv>,
  also: readonly string[] = [],
): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined) continue;
    const isNamed = PASSED.has(name) || name.startsWith('LC_') || also.includes(name);
    if (isNamed && !isSecretName(name)) passed[name] = value;
  }
  return { PATH: '/usr/local/bin:/usr/bin:/bin', ...passed, ...FIXED };
}
