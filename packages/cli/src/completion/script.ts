import { bashScript } from './bash.js';
import type { TreeNode } from './command-tree.js';
import { fishScript } from './fish.js';
import type { Shell } from './shells.js';
import { zshScript } from './zsh.js';

const SCRIPTS: Record<Shell, (tree: readonly TreeNode[]) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export function scriptFor(shell: Shell, tree: readonly TreeNode[]): string {
  return SCRIPTS[shell](tree);
}
