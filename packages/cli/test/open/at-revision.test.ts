import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { gateAtBase } from '../../src/open/at-revision.ts';
import { readDeclaring } from '../../src/open/open-stack.ts';
import { HostileRepository } from '../git/hostile-repository.ts';

const env = { PATH: process.env['PATH'] };
const service = 'service: { address: "http://127.0.0.1:8200", features: { messages: false } }';
const planning = (policy: string) => `deployments: { planPolicies: [${policy}] }`;

let repository: HostileRepository;
beforeEach(() => {
  repository = new HostileRepository();
});

async function policiesAtBase(): Promise<string[] | string | undefined> {
  const base = await gateAtBase(await readDeclaring(repository.folder, 'dev', env), env);
  return typeof base === 'object' ? base.deployments.planPolicies : base;
}

test('the environment at the base revision is read where the clone lacks what says nothing of it', async () => {
  repository.write('Pulumi.dev.yaml', `config:\n  gatehouse:${service}\n  gatehouse:${planning('before')}\n`);
  repository.write('picture.svg', '<svg/>');
  repository.commit();
  const id = repository.git('rev-parse', 'HEAD:picture.svg');
  rmSync(join(repository.folder, '.git/objects', id.slice(0, 2), id.slice(2)));
  repository.write('Pulumi.dev.yaml', `config:\n  gatehouse:${service}\n  gatehouse:${planning('after')}\n`);
  expect(await policiesAtBase()).toEqual(['before']);
});

test.each(['environment.yaml', 'sign-in.conf'])('an environment in %s counts as it was', async (file) => {
  repository.write('Pulumi.dev.yaml', `config:\n  gatehouse:file: ${file}\n`);
  repository.write(file, `${service}\n${planning('before')}\n`);
  repository.commit();
  repository.write(file, `${service}\n${planning('after')}\n`);
  expect(await policiesAtBase()).toEqual(['before']);
});

test('a stack file that was a link counts as what it led to', async () => {
  const file = join(repository.folder, 'Pulumi.dev.yaml');
  rmSync(file);
  repository.write('dev.txt', `config:\n  gatehouse:${service}\n  gatehouse:${planning('before')}\n`);
  symlinkSync('dev.txt', file);
  repository.commit();
  rmSync(file);
  repository.write('Pulumi.dev.yaml', `config:\n  gatehouse:${service}\n  gatehouse:${planning('after')}\n`);
  expect(await policiesAtBase()).toEqual(['before']);
});
