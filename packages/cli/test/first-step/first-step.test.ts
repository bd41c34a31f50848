import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { root } from '../../../../test/harness/environment-under-test.ts';
import { firstStepIn } from '../../src/first-step/first-step.ts';
import { firstStepText } from '../../src/first-step/first-step-text.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-first-'));
});
afterEach(() => rm(folder, { recursive: true }));

const write = (files: Record<string, string>) =>
  Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
const commands = async () => firstStepText(await firstStepIn(folder)).match(/(?<=\$ ).*/g);

test.each([
  ['opentofu-plan.json', 'terraform'],
  ['terraform-plan.json', 'terraform'],
  ['pulumi-preview.json', 'pulumi'],
])('a plan is reviewed: %s', async (file, tool) => {
  await copyFile(`${root}/examples/plans/${file}`, join(folder, file));
  await write({ 'main.tf': '', 'package.json': '{ "name": "x", "config": {} }' });
  expect(await firstStepIn(folder)).toEqual({ kind: 'plan', file, tool });
});

test('a plan that only its own program reads is shown by it', async () => {
  await write({ tfplan: 'PK\x03\x04rest', 'main.tf': '' });
  expect(await commands()).toEqual(['terraform show -json tfplan | gatehouse review -']);
});

test('a state is no plan', async () => {
  await write({ 'state.json': '{"format_version":"1.0","terraform_version":"1.9.8","values":{}}' });
  expect(await firstStepIn(folder)).toEqual({ kind: 'nothing' });
});

test('a project with environments is reviewed by its first stack', async () => {
  await write({
    'Pulumi.yaml': 'name: sign-in\n',
    'Pulumi.dev.yaml': 'config:\n  gatehouse:service: {}\n',
    'Pulumi.other.yaml': 'config:\n  aws:region: eu\n',
  });
  expect(await firstStepIn(folder)).toEqual({ kind: 'stack', stacks: ['dev'] });
  expect(await commands()).toEqual(['gatehouse review -s dev', 'gatehouse drift -s dev']);
});

test('Terraform files without a plan are planned first', async () => {
  await write({ 'main.tf': '' });
  expect((await commands())?.[0]).toBe('terraform plan -out tfplan');
});

test('an empty folder, and one that cannot be read, begin with what the command is for', async () => {
  expect(await firstStepIn(folder)).toEqual({ kind: 'nothing' });
  expect(await firstStepIn(join(folder, 'none'))).toEqual({ kind: 'nothing' });
});

test('a name from outside is one word of the command, and no option', async () => {
  await write({ '-x plan;$(id).json': '{"format_version":"1.2","planned_values":{}}' });
  expect(await commands()).toEqual(["gatehouse review './-x plan;$(id).json'"]);
});
