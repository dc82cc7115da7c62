import { type InstalledProgram, installProgram } from '../programs/npm-program.js';

/** The real agent program of the tests, or why it cannot be had. */
export type Qwen = InstalledProgram;

export function installQwen(environment: Readonly<NodeJS.ProcessEnv> = process.env): Promise<Qwen> {
  const program = {
    package: '@qwen-code/qwen-code',
    version: '0.15.10',
    file: 'cli.js',
    directory: 'qwen',
  };
  return installProgram(program, environment);
}
