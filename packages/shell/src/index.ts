export type { Argument } from './argument.js';
export { argumentOf } from './argument.js';
export type { CommandNode, Script } from './ast.js';
export { changesMeaning } from './changing-options.js';
export type { Command, OpenedFile } from './commands-of.js';
export { commandsOf } from './commands-of.js';
export { firstCommand, unwrap } from './first-command.js';
export { parseScript } from './parse-script.js';
export { splitName } from './wrappers.js';
