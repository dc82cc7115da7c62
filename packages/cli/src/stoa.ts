#!/usr/bin/env node
// Start-up time is a goal: nothing is loaded that the command at hand does not need.

const VERSION = '0.1.0';

const args = process.argv.slice(2);
const [first, ...rest] = args;

if ((first === '--version' || first === '-V') && rest.length === 0) {
  process.stdout.write(`${VERSION}\n`);
} else if (first === 'status' && rest.every((arg) => arg === '--json')) {
  const { quickStatus } = await import('./quick-status.js');
  process.exitCode = await quickStatus(VERSION, rest.length > 0);
} else {
  const { main } = await import('./main.js');
  process.exitCode = await main(args, VERSION);
}
