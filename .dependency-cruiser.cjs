// Allowed imports between packages: protocol <- store <- core <- agent <- daemon; shell <- core; cli, web -> client -> protocol.
// See ARCHITECTURE.md.

const fs = require('node:fs');
const path = require('node:path');
const { readModules } = require('./scripts/core-modules.cjs');

/** What each package may know. Anything else under packages/ is an arrow against the plan. */
const arrows = {
  protocol: [],
  shell: [],
  store: ['protocol'],
  core: ['protocol', 'shell', 'store'],
  agent: ['protocol', 'shell', 'store', 'core'],
  daemon: ['protocol', 'store', 'core', 'agent'],
  client: ['protocol'],
  web: ['protocol', 'client'],
  // The daemon only through cli-starts-the-daemon-lazily below.
  cli: ['protocol', 'client', 'daemon'],
};

/** The sources behind the names that package.json exports: the only ways into a package. */
const doors = Object.keys({ ...arrows, testkit: [] }).flatMap((name) => {
  const directory = `packages/${name}`;
  const file = path.join(__dirname, directory, 'package.json');
  const { exports = {} } = JSON.parse(fs.readFileSync(file, 'utf8'));
  return Object.values(exports).map(({ 'stoa-source': source }) =>
    path.posix.join(directory, source),
  );
});

const test = '\\.(?:test|fixture)\\.tsx?$';

/** Packages that ship; testkit is made of what tests are made of. */
const product = `^packages/(${Object.keys(arrows).join('|')})/src/`;

const arrowRules = Object.entries(arrows).map(([name, known]) => ({
  name: `arrow-${name}`,
  comment: `${name} may know only: ${known.join(', ') || 'no other package'}.`,
  severity: 'error',
  from: { path: `^packages/${name}/src/`, pathNot: test },
  to: { path: '^packages/', pathNot: `^packages/(${[name, ...known].join('|')})/` },
}));

/** Folders of core that hold no state and know no module: pure decisions that every module may use. */
const pure = ['authority', 'patterns', 'permissions'];

const moduleRules = [...readModules()].map(([name, needs]) => ({
  name: `module-${name}`,
  comment: `${name} may import only the modules it needs: ${needs.join(', ') || 'none'}. Add to \`needs\` in its module.ts, or use a hook.`,
  severity: 'error',
  from: { path: `^packages/core/src/${name}/`, pathNot: test },
  to: {
    path: '^packages/core/src/[^/]+/',
    pathNot: `^packages/core/src/(${[name, ...needs, ...pure, 'kernel'].join('|')})/`,
  },
}));

module.exports = {
  forbidden: [
    ...arrowRules,
    ...moduleRules,
    {
      name: 'kernel-knows-no-module',
      comment: 'The kernel knows no noun.',
      severity: 'error',
      from: { path: '^packages/core/src/kernel/', pathNot: test },
      to: { path: '^packages/core/src/', pathNot: '^packages/core/src/(kernel/|ports\\.ts$)' },
    },
    {
      name: 'pure-decisions-know-no-module',
      comment: 'Folders of pure decisions use only each other and the kernel.',
      severity: 'error',
      from: { path: `^packages/core/src/(${pure.join('|')})/`, pathNot: test },
      to: {
        path: '^packages/core/src/[^/]+/',
        pathNot: `^packages/core/src/(${[...pure, 'kernel'].join('|')})/`,
      },
    },
    {
      name: 'only-the-list-knows-all-modules',
      comment: 'Modules meet in nouns.ts, which create-core.ts reads.',
      severity: 'error',
      from: { path: '^packages/core/src/[^/]+/', pathNot: test },
      to: { path: '^packages/core/src/(create-core|nouns|index|idle-runtime)\\.ts$' },
    },
    {
      name: 'cli-starts-the-daemon-lazily',
      comment:
        'The daemon is loaded through commands/serve.ts alone, by what runs or examines one.',
      severity: 'error',
      from: {
        path: '^packages/cli/src/',
        pathNot: [test, '^packages/cli/src/commands/serve\\.ts$'],
      },
      to: { path: '^packages/daemon/' },
    },
    {
      name: 'cli-serve-is-dynamic',
      comment: 'commands/serve.ts loads the daemon with import(), when it is needed.',
      severity: 'error',
      from: { path: '^packages/cli/src/commands/serve\\.ts$' },
      to: { path: '^packages/daemon/', dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-deep-import',
      comment: 'A package is entered by what its package.json exports.',
      severity: 'error',
      from: { path: '^(packages/[^/]+|tests|bench)/' },
      to: {
        path: '^packages/',
        pathNot: ['^$1/', ...doors.map((door) => `^${door.replaceAll('.', '\\.')}$`)],
      },
    },
    {
      name: 'no-cycle',
      comment: 'Two files that need each other are one file, or hide a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphan',
      comment: 'A file that nothing uses and that uses nothing.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: [test, '/src/index\\.ts$', '\\.config\\.ts$', '/src/main\\.tsx$'],
      },
      to: {},
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-dev-dependency',
      comment: 'What ships must not need what is only installed for development.',
      severity: 'error',
      from: { path: product, pathNot: test },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: '/@types/' },
    },
    {
      name: 'no-undeclared-dependency',
      comment: 'A package lists what it imports in its own package.json.',
      severity: 'error',
      from: { path: product, pathNot: test },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-test-in-product',
      severity: 'error',
      from: { path: '^(packages|bench)/', pathNot: test },
      to: { path: test },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^((packages/[^/]+|bench)/dist|tests/fixtures/bookmarks)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.tests.json' },
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['stoa-source', 'import', 'require', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
};
