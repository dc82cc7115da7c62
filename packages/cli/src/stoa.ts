#!/usr/bin/env node
// Start-up time is a goal: nothing is loaded that the command at hand does not need.
import { loadPart } from './load-part.js';

const VERSION = '0.1.0';

const args = process.argv.slice(2);
const [first, ...rest] = args;

if ((first === '--version' || first === '-V') && rest.length === 0) {
  process.stdout.write(`${VERSION}\n`);
} else {
  void command().then((exitCode) => {
    process.exitCode = exitCode;
  });
}

function command(): Promise<number> {
  if (first === 'status' && rest.every((arg) => arg === '--json')) {
    const { quickStatus } = loadPart('quick-status');
    return quickStatus(VERSION, rest.length > 0);
  }
  const { main } = loadPart('main');
  return main(args, VERSION);
}
