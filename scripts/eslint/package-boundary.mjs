// A package is entered by its doors, the names its package.json exports: never by a deeper path,
// never by a relative path that leaves the importer's own package.
import fs from 'node:fs';
import path from 'node:path';
import { root } from '../run.mjs';
import { onEachImport } from './on-each-import.mjs';

export default {
  meta: {
    type: 'problem',
    docs: { description: 'import other packages by what they export only' },
    schema: [],
    messages: {
      deep: "'{{name}}' reaches into a package. It can be entered by: {{doors}}.",
      escape: "'{{name}}' leaves this package; import the other one by its name.",
    },
  },
  create(context) {
    const own = roomOf(context.filename);
    return onEachImport(({ node, name }) => {
      if (name === undefined) return;
      const [, directory] = /^@stoa\/([^/]+)\/./.exec(name) ?? [];
      if (directory !== undefined) {
        const doors = doorsOf(directory);
        if (doors.includes(name)) return;
        context.report({ node, messageId: 'deep', data: { name, doors: doors.join(', ') } });
      } else if (name.startsWith('.')) {
        const target = roomOf(path.resolve(path.dirname(context.filename), name));
        if (target !== own && target.startsWith('packages/')) {
          context.report({ node, messageId: 'escape', data: { name } });
        }
      }
    });
  },
};

/** `packages/core`, `tests`, `bench`, … */
function roomOf(file) {
  const [first, second] = path.relative(root, file).split(path.sep);
  return first === 'packages' ? `packages/${second}` : first;
}

function doorsOf(directory) {
  const file = path.join(root, 'packages', directory, 'package.json');
  if (!fs.existsSync(file)) return [];
  const { name, exports = {} } = JSON.parse(fs.readFileSync(file, 'utf8'));
  return Object.keys(exports).map((subpath) => path.posix.join(name, subpath));
}
