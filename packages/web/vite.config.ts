import tailwindcss from '@tailwindcss/vite';
import { defineConfig, type Plugin } from 'vite';

/** Nothing is painted before the script has run: it knows which colours were chosen. */
const colouredFirst: Plugin = {
  name: 'coloured-first',
  transformIndexHtml: {
    order: 'post',
    handler: (html) =>
      html.replace('<script type="module"', '<script type="module" blocking="render"'),
  },
};

export default defineConfig({
  plugins: [tailwindcss(), colouredFirst],
  resolve: { conditions: ['stoa-source', 'module', 'browser', 'development|production'] },
  // The worker loads one grammar at a time, which takes modules.
  worker: { format: 'es' },
  build: {
    target: 'es2023',
    // The daemon allows no inline script, and every browser that runs this knows modulepreload.
    modulePreload: { polyfill: false },
    // An image in a style sheet would be inlined as a data URL below this size.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      // Libraries mark what would be client code on a server; here everything is.
      checks: { moduleLevelDirective: false },
    },
  },
});
