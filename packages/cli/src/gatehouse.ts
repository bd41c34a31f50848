#!/usr/bin/env node
import { main } from './main.ts';
import { openEngine } from './open/engines.ts';
import { ExitCode } from './terminal/terminal.ts';

const { stdin, stdout, stderr, env } = process;
const terminal = { stdin, stdout, stderr, env, cwd: process.cwd(), exitCode: ExitCode.ok };
// A reader that stops early (`gatehouse preview | head`) is not an error, and an answer that is no stays one.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(terminal.exitCode);
});

process.exitCode = await main(process.argv.slice(2), { terminal, openEngine });
