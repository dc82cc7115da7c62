import tailwindcss from '@tailwindcss/vite';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [tailwindcss()],
  resolve: { conditions: ['stoa-source', 'module', 'browser', 'development|production'] },
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
