/** What a command needs to work; everything else of the daemon's environment stays with the daemon. */
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

/** Whether a variable is called as secrets are. */
export const isSecretName = (name: string): boolean => SECRET.test(name);

/** No colours, no pager that waits for a key, no prompt that waits for an answer. */
const FIXED = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
} as const;

/**
 * The environment of an agent's commands. `also` names further variables that may pass; one that is
 * named like a secret does not.
 */
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
