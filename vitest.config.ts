import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { fromKit } from './scripts/bundle-kit.mjs';
import { programTests } from './scripts/program-tests.mjs';

const conditions = ['stoa-source', 'module', 'node', 'development|production'];

// On a fresh clone these run while SQLite is compiled, so there none of them may open a database.
const needsNoSqlite = [
  'packages/{cli,client,protocol,shell,web}/src/**/*.test.ts',
  'packages/agent/src/{boundary-note,channel-turn,envelope}.test.ts',
  'packages/agent/src/acp/{agent-program,call-subjects,prompt}.test.ts',
  'packages/agent/src/builtin/{conversation,models,plan-compaction,scrub,streamed-field,usage-of}.test.ts',
  'packages/agent/src/mcp/{server-secrets,server-tools}.test.ts',
  'packages/agent/src/script/{choose-turn,parse-script,script-file}.test.ts',
  'packages/agent/src/tasks/{output-part,task-commands}.test.ts',
  'packages/agent/src/tools/{paths,text-diff}.test.ts',
  'packages/agent/src/tools/shell/{command,orphaned-commands,output-range,released-command,shell-answer,wrapper}.test.ts',
  'packages/core/src/{patterns,permissions,tasks/monitor}/**/*.test.ts',
  'packages/core/src/assets/{assets,base64}.test.ts',
  'packages/core/src/runs/{drafts,ownership,channel-drafts}.test.ts',
  'packages/core/src/tasks/{lifecycle,shell/*}.test.ts',
  'packages/core/src/dreams/{draft-folder,gates}.test.ts',
  'packages/core/src/kernel/hub.test.ts',
  'packages/core/src/turns/{arbitrate,arbitrate-properties,selection}.test.ts',
  'packages/daemon/src/{assets/sniff,config/*,ports/ids}.test.ts',
  'packages/daemon/src/http/{addresses,json-body,origin-guard,server}.test.ts',
  'packages/store/src/postgres/**/*.test.ts',
  'packages/store/src/search/{postgres-search-index,search-tokens}.test.ts',
];

// Tests of the repository itself: its rules, the types in its documents and the test kit.
// `npm run check` runs them.
const repositoryTests = [
  'packages/testkit/src/**/*.test.ts',
  'tests/{architecture,docs-types,new-noun-types,plain-words}.test.ts',
];

// In a browser, against the daemon and the web UI as they are built.
const needsBrowser = ['tests/web/**/*.test.ts'];

// Text and files that are made to stop a reader. `npm run test:hostile` runs them: their times are measured,
// so nothing else may run beside them.
const hostile = ['tests/hostile/**/*.test.ts', 'packages/*/src/**/hostile-text.test.ts'];

// On another Node than the one that is installed here: scripts/test-node.mjs runs them.
const onOtherNode = ['tests/other-node/**/*.test.ts'];

// Tests that other tests run, to see what the runner makes of them.
const planted = ['tests/planted/**/*.test.ts'];

/**
 * Starts the longest test files first, so that no worker runs one of them alone at the end; vitest knows how long a file takes only
 * from an earlier run. The files of one project follow each other, because a worker is restarted for another project. Browser
 * tests run one at a time while others compute.
 */
class LongestFirst extends BaseSequencer {
  static readonly #first = ['kill', 'simulation', 'turn-simulation'];
  static readonly #next = [
    'docs',
    'cli-sessions',
    'schema',
    'cli',
    'lobby',
    'integrity',
    'slow-reader',
  ];

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => this.#rank(a) - this.#rank(b));
  }

  #rank({ project, moduleId }: TestSpecification): number {
    if (project.name === 'unit') return 200;
    if (project.name === 'web') return 50;
    const isFile = (name: string): boolean => moduleId.endsWith(`/tests/${name}.test.ts`);
    const first = LongestFirst.#first.findIndex(isFile);
    if (first !== -1) return first;
    const next = LongestFirst.#next.findIndex(isFile);
    return 100 + (next === -1 ? LongestFirst.#next.length : next);
  }
}

export default defineConfig({
  plugins: [fromKit],
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['stoa-source'] } },
  test: {
    pool: 'forks',
    // Many tests wait for processes: others have the cores meanwhile.
    maxWorkers: 4,
    // Loading the packages again for each of some 200 files would take a quarter of the time. No test changes
    // what its process shares with the next file.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    setupFiles: ['scripts/test-file-setup.mjs'],
    globalSetup: ['scripts/bundle-kit.mjs', 'packages/testkit/src/postgres/shared-postgres.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'early',
          include: needsNoSqlite,
          exclude: hostile,
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts'],
          exclude: [...needsNoSqlite, ...programTests, ...repositoryTests, ...hostile],
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['tests/**/*.test.ts'],
          exclude: [
            ...programTests,
            ...repositoryTests,
            ...needsBrowser,
            ...hostile,
            ...onOtherNode,
            ...planted,
          ],
          testTimeout: 120_000,
          globalSetup: ['scripts/prepare.mjs'],
        },
      },
      {
        extends: true,
        test: {
          name: 'web',
          include: needsBrowser,
          testTimeout: 120_000,
          globalSetup: ['scripts/prepare.mjs'],
        },
      },
      {
        extends: true,
        test: {
          name: 'other-node',
          include: onOtherNode,
          testTimeout: 120_000,
          globalSetup: ['scripts/prepare.mjs'],
        },
      },
      {
        extends: true,
        test: {
          name: 'planted',
          include: planted,
          testTimeout: 120_000,
          globalSetup: ['scripts/prepare.mjs'],
        },
      },
      {
        extends: true,
        test: {
          name: 'repository',
          include: repositoryTests,
          testTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'programs',
          include: programTests,
          testTimeout: 120_000,
          // Third-party programs store their sessions asynchronously: a busy machine changes what they do.
          fileParallelism: false,
          sequence: { sequencer: LongestFirst, groupOrder: 1 },
          globalSetup: ['scripts/prepare.mjs'],
        },
      },
      {
        extends: true,
        test: {
          name: 'hostile',
          include: hostile,
          testTimeout: 120_000,
          fileParallelism: false,
          sequence: { sequencer: LongestFirst, groupOrder: 1 },
          globalSetup: ['scripts/prepare.mjs'],
        },
      },
    ],
  },
});
