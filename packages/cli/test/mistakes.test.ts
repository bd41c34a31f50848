import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { projectFolder, runCommand } from './running-command.ts';

const page = readFileSync(new URL('../../../docs/mistakes.md', import.meta.url), 'utf8');
const block = (language: string) => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';

test('all mistakes of a stack are said in one run, at their places', async () => {
  const folder = projectFolder({ 'Pulumi.prod.yaml': block('yaml') });
  const { code, err } = await runCommand(['preview', '-s', 'prod'], { PATH: process.env['PATH'] }, folder);
  expect({ code, err }).toEqual({ code: 1, err: block('text') });
});
