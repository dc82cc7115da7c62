import type { InstalledProgram } from '../programs/npm-program.js';
import { installProgram } from './programs.js';

export type Qwen = InstalledProgram;

/** The real agent program that most tests are about. */
export const installQwen = (environment?: Readonly<NodeJS.ProcessEnv>): Promise<Qwen> =>
  installProgram('qwen', environment);
