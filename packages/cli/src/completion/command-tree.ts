import type { Command, Option } from 'commander';
import { isListed, type Listed } from './listed.js';

/** One word of the command line that has words below it, as a completion script needs it. */
export interface TreeNode {
  /** The words that lead here: `stoa channel list`. */
  readonly path: string;
  readonly children: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly TreeOption[];
  /** What the first argument is: something the daemon can list, one of some words, or anything. */
  readonly argument: Listed | 'none' | 'other' | readonly string[];
}

export interface TreeOption {
  readonly names: readonly string[];
  readonly summary: string;
  readonly value: Listed | 'none' | 'file' | 'other' | readonly string[];
}

/** Every command of the tree, the program itself first. */
export function commandTree(program: Command): TreeNode[] {
  return nodesUnder(program, program.name(), program.options.map(treeOption));
}

function nodesUnder(command: Command, path: string, global: readonly TreeOption[]): TreeNode[] {
  const own = command.parent === null ? [] : command.options.map(treeOption);
  const [first] = command.registeredArguments;
  const node: TreeNode = {
    path,
    children: command.commands.flatMap((child) =>
      [child.name(), ...child.aliases()].map((name) => ({
        name,
        summary: child.summary() || child.description(),
      })),
    ),
    options: [...own, ...global],
    argument: !first ? 'none' : (first.argChoices ?? listedOrOther(first.name())),
  };
  return [
    node,
    ...command.commands.flatMap((child) =>
      [child.name(), ...child.aliases()].flatMap((name) =>
        nodesUnder(child, `${path} ${name}`, global),
      ),
    ),
  ];
}

function treeOption(option: Option): TreeOption {
  return {
    names: [option.short, option.long].filter((name) => name !== undefined),
    summary: option.description,
    value: option.isBoolean() ? 'none' : (option.argChoices ?? valueOf(option.flags)),
  };
}

function valueOf(flags: string): Listed | 'file' | 'other' {
  const [, name = ''] = /<(\w+)>/.exec(flags) ?? [];
  return name === 'file' || name === 'directory' ? 'file' : listedOrOther(name);
}

function listedOrOther(name: string): Listed | 'other' {
  return isListed(name) ? name : 'other';
}
