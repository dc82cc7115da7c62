import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';
import describedDisable from './scripts/eslint/described-disable.mjs';
import { importAllowList, packageBoundary } from './scripts/eslint/imports.mjs';
import linearRegexp from './scripts/eslint/linear-regexp.mjs';

const stoa = {
  rules: {
    'described-disable': describedDisable,
    'import-allow-list': importAllowList,
    'linear-regexp': linearRegexp,
    'package-boundary': packageBoundary,
  },
};

// Time, chance and the outside world reach core only through ports: these are the leaks.
const ambient = (names, port) =>
  names.map((name) => ({
    name,
    message: `core has no ${port} of its own: it comes in as a port.`,
  }));

const coreGlobals = [
  ...ambient(['Date', 'performance', 'Temporal'], 'clock'),
  ...ambient(['crypto', 'Crypto'], 'randomness'),
  ...ambient(
    [
      'setTimeout',
      'setInterval',
      'setImmediate',
      'clearTimeout',
      'clearInterval',
      'clearImmediate',
      'queueMicrotask',
      'requestAnimationFrame',
      'requestIdleCallback',
      'MessageChannel',
    ],
    'timers',
  ),
  ...ambient(
    ['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'BroadcastChannel', 'Worker'],
    'network or threads',
  ),
  ...ambient(['process', 'console', 'require', 'navigator'], 'surroundings'),
  // Each of these reaches all of the above under another name.
  ...ambient(['globalThis', 'global', 'self', 'window', 'eval', 'Function'], 'surroundings'),
];

const coreProperties = [
  { object: 'Math', property: 'random', message: 'Randomness comes into core as a port.' },
  { object: 'AbortSignal', property: 'timeout', message: 'Timers come into core as a port.' },
  { object: 'Intl', property: 'DateTimeFormat', message: 'It reads the clock and the zone.' },
];

const coreSyntax = [
  {
    selector: 'MetaProperty[meta.name="import"]',
    message: 'import.meta tells where the code runs; core must not know.',
  },
];

const readonly = (...names) => Object.fromEntries(names.map((name) => [name, 'readonly']));

const tests = ['**/*.test.ts', '**/*.fixture.ts'];

export default defineConfig(
  // The noun of the fixture has no meaning outside of the packages it is copied into.
  { ignores: ['**/dist/', '**/node_modules/', '**/coverage/', 'tests/fixtures/bookmarks/'] },
  {
    files: ['**/*.ts', '**/*.tsx', '**/*.mjs', '**/*.cjs'],
    extends: [js.configs.recommended],
    plugins: { stoa },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: { 'stoa/described-disable': 'error' },
  },
  {
    // Text of others is read everywhere: no expression may take more than linear time. One that has to belongs
    // into a worker with a deadline, where this does not hold.
    files: ['packages/*/src/**/*.{ts,tsx}'],
    ignores: [...tests, 'packages/testkit/**', '**/*-worker.ts'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { ignorePartial: false }],
      'stoa/linear-regexp': 'error',
    },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.tests.json', './packages/web/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      'stoa/package-boundary': 'error',
      eqeqeq: 'error',
      'no-console': 'error',
      // What people paste is full of control characters; the code that meets them names them.
      'no-control-regex': 'off',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'separate-type-imports', disallowTypeAnnotations: false },
      ],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/ban-ts-comment': ['error', { minimumDescriptionLength: 10 }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: readonly(
        ...['clearInterval', 'clearTimeout', 'console', 'performance', 'process'],
        ...['setInterval', 'setTimeout'],
      ),
    },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: readonly('__dirname', 'module', 'require'),
    },
  },
  {
    files: ['packages/protocol/src/**/*.ts'],
    ignores: tests,
    rules: { 'stoa/import-allow-list': ['error', { modules: ['zod'] }] },
  },
  {
    // The parser is pure and depends on nothing.
    files: ['packages/shell/src/**/*.ts'],
    ignores: tests,
    rules: {
      'stoa/import-allow-list': ['error', {}],
      'no-restricted-globals': ['error', ...coreGlobals],
      'no-restricted-properties': ['error', ...coreProperties],
      'no-restricted-syntax': ['error', ...coreSyntax],
    },
  },
  {
    files: ['packages/core/src/**/*.ts'],
    ignores: tests,
    rules: {
      'stoa/import-allow-list': [
        'error',
        { modules: ['@stoa/protocol', '@stoa/shell', '@stoa/store'] },
      ],
      'no-restricted-globals': ['error', ...coreGlobals],
      'no-restricted-properties': ['error', ...coreProperties],
      'no-restricted-syntax': ['error', ...coreSyntax],
    },
  },
  {
    files: ['packages/core/src/**/*.ts'],
    ignores: [...tests, 'packages/core/src/kernel/codec.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...coreProperties,
        {
          object: 'JSON',
          property: 'parse',
          message: 'Use the codec of the kernel, which knows types.',
        },
      ],
    },
  },
  {
    // The schemas cost start-up time and bytes in a browser: the client knows only their types.
    files: ['packages/client/src/**/*.ts'],
    ignores: tests,
    rules: {
      'stoa/import-allow-list': ['error', { types: ['@stoa/protocol', 'zod'], open: true }],
    },
  },
  {
    // The same applies to what a browser loads; it reaches the daemon only through the client.
    files: ['packages/web/src/**/*.{ts,tsx}'],
    ignores: tests,
    rules: {
      'stoa/import-allow-list': ['error', { types: ['@stoa/protocol'], open: true }],
      'no-restricted-globals': [
        'error',
        ...['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource'].map((name) => ({
          name,
          message: 'The web UI talks to the daemon through @stoa/client.',
        })),
      ],
    },
  },
  {
    files: ['packages/cli/src/**/*.ts', 'bench/src/**/*.ts', 'tests/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['packages/*/src/**/*.test.ts', 'tests/**/*.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'kill',
          message: 'sendSignal refuses the numbers that mean everybody.',
        },
      ],
    },
  },
);
