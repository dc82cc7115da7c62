// Reads the modules of core and what they need from their declarations (`packages/core/src/*/module.ts`).
// `node scripts/core-modules.cjs` writes the graph of them into ARCHITECTURE.md.
const fs = require('node:fs');
const path = require('node:path');

const root = path.dirname(__dirname);

/** The folder of each module, with the folders of the modules it needs, by name. */
function readModules() {
  const core = path.join(root, 'packages/core/src');
  const list = fs.readFileSync(path.join(core, 'nouns.ts'), 'utf8');
  return new Map(
    importedModules(list).map(([, folder]) => {
      const text = fs.readFileSync(path.join(core, folder, 'module.ts'), 'utf8');
      const folders = new Map(importedModules(text));
      const [, needs] = /needs: \[([^\]]*)\]/.exec(text) ?? [];
      if (needs === undefined) throw new Error(`The module ${folder} declares no needs`);
      const names = needs.split(',').map((name) => name.trim());
      return [folder, names.filter(Boolean).map((name) => folders.get(name))];
    }),
  );
}

/** Names and folders of the modules that a file imports or lists. */
function importedModules(text) {
  const imports = text.matchAll(/(?:im|ex)port \{([^}]*)\} from '\.{1,2}\/([\w-]+)\/module\.js'/g);
  return [...imports].flatMap(([, names, folder]) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => /^[a-z]/.test(name) && !name.startsWith('type '))
      .map((name) => [name, folder]),
  );
}

/** Omits arrows that follow from others. */
function drawModules(modules) {
  const reaches = (from, to) =>
    modules.get(from).some((needed) => needed === to || reaches(needed, to));
  const lines = ['graph BT'];
  for (const [name, needs] of modules) {
    const direct = needs.filter(
      (one) => !needs.some((other) => other !== one && reaches(other, one)),
    );
    if (direct.length === 0) lines.push(`  ${name}`);
    for (const needed of direct) lines.push(`  ${name} --> ${needed}`);
  }
  return lines.join('\n');
}

const GRAPH = /(<!-- modules -->\n```mermaid\n)[\s\S]*?(\n```\n<!-- \/modules -->)/;

/** The document with the current graph. */
function withGraph(document) {
  if (!GRAPH.test(document)) throw new Error('ARCHITECTURE.md has no section for the module graph');
  return document.replace(GRAPH, (_, begin, end) => `${begin}${drawModules(readModules())}${end}`);
}

module.exports = { readModules, withGraph };

if (require.main === module) {
  const file = path.join(root, 'ARCHITECTURE.md');
  fs.writeFileSync(file, withGraph(fs.readFileSync(file, 'utf8')));
}
