import type { Context, GlobalFlags } from '../context.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { homeOf } from '../locate.js';
import { printableLine } from '../terminal/printable.js';
import { loadDaemon } from './serve.js';

export interface ConfigOptions extends GlobalFlags {
  readonly config?: string;
}

export async function configSchema(context: Context): Promise<void> {
  const daemon = await loadDaemon();
  context.json(daemon.configJsonSchema());
}

export async function showConfig(
  context: Context,
  _args: readonly string[],
  { home, config }: ConfigOptions,
): Promise<void> {
  const daemon = await loadDaemon();
  context.json(daemon.effectiveConfig({ flags: { home, config } }));
}

export async function checkConfig(
  context: Context,
  _args: readonly string[],
  options: ConfigOptions,
): Promise<ExitCode> {
  const daemon = await loadDaemon();
  const issues = await daemon.checkConfig(homeOf(options, context.io.env), options.config);
  context.answer({ ok: issues.length === 0, issues }, () =>
    issues.length === 0
      ? 'The configuration is valid.'
      : issues
          .map(({ path, message }) => printableLine(`${path || '(top level)'}: ${message}`))
          .join('\n'),
  );
  return issues.length === 0 ? EXIT.ok : EXIT.failure;
}
