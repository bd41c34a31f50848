import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { projectFolder, runCommand } from './running-command.ts';

const text = (name: string) => readFileSync(new URL(`mistakes/${name}`, import.meta.url), 'utf8');

test('all mistakes of a stack are said in one run, at their places', async () => {
  const folder = projectFolder({ 'Pulumi.prod.yaml': text('Pulumi.prod.yaml') });
  const { code, err } = await runCommand(['preview', '-s', 'prod'], { PATH: process.env['PATH'] }, folder);
  expect({ code, err }).toEqual({ code: 1, err: text('printed.txt') });
});
