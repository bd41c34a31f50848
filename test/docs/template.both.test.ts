import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { LocalEngine } from '../../packages/engine/src/local/local-engine.ts';
import { createCrypter } from '../../packages/engine/src/passphrase.ts';
import { readStack } from '../../packages/engine/src/stack-files/read-stack.ts';
import { startEmbeddedService } from '../harness/embedded-service.ts';
import { root } from '../harness/environment-under-test.ts';
import { longTest } from '../harness/long-run.ts';
import { started } from '../harness/started.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const template = join(root, 'examples/template');
const passphrase = 'open sesame';

interface Question {
  description: string;
  default?: string;
  secret?: boolean;
}

/**
 * Expands the template as `pulumi new` does (pulumi/pulumi `sdk/go/common/workspace/templates.go`, `transform`;
 * `pkg/cmd/pulumi/newcmd`): the project's name and description stand for two words in every file, the template's own
 * section goes, and its questions become the stack's configuration.
 *
 * @returns the questions
 */
async function expand(folder: string, answers: Record<string, string>): Promise<Record<string, Question>> {
  for (const name of readdirSync(template)) {
    const text = readFileSync(join(template, name), 'utf8');
    const filled = text
      .replaceAll(/\$\{PROJECT\}/g, 'our-sign-in')
      .replaceAll(/\$\{DESCRIPTION\}/g, 'How we sign in.');
    writeFileSync(join(folder, name), filled);
  }
  const { template: own, ...project } = parse(readFileSync(join(folder, 'Pulumi.yaml'), 'utf8'));
  writeFileSync(join(folder, 'Pulumi.yaml'), stringify(project));
  const crypter = await createCrypter(passphrase);
  const config = Object.entries(own.config as Record<string, Question>).map(([name, question]) => {
    const value = answers[name] ?? question.default ?? '';
    return [`our-sign-in:${name}`, question.secret ? { secure: crypter.encrypt(value) } : value];
  });
  const stack = { encryptionsalt: crypter.salt, config: Object.fromEntries(config) };
  writeFileSync(join(folder, 'Pulumi.dev.yaml'), stringify(stack));
  return own.config;
}

/** What `npm install` would bring, from this clone. */
function install(folder: string): void {
  const own = join(folder, 'node_modules/gatehouse-login');
  mkdirSync(own, { recursive: true });
  symlinkSync(join(root, 'node_modules/@pulumi'), join(folder, 'node_modules/@pulumi'));
  writeFileSync(join(own, 'package.json'), JSON.stringify({ type: 'module', exports: './index.mjs' }));
  const module = JSON.stringify(join(root, 'packages/gatehouse/gatehouse.ts'));
  writeFileSync(join(own, 'index.mjs'), `export * from ${module};\n`);
}

describe('the template, expanded as pulumi new does', () => {
  const folder = temporaryFolder();
  let questions: Record<string, Question>;
  const service = started(startEmbeddedService);
  beforeAll(async () => {
    questions = await expand(folder, { serviceAddress: service().address, clientSecret: 'hunter2' });
    install(folder);
  });

  test('leaves no word of the template in its files', () => {
    for (const name of readdirSync(template)) {
      const text = readFileSync(join(folder, name), 'utf8');
      expect([name, text.includes('PROJECT}') || text.includes('DESCRIPTION}')]).toEqual([name, false]);
    }
    expect(parse(readFileSync(join(folder, 'Pulumi.yaml'), 'utf8'))).toEqual({
      name: 'our-sign-in',
      description: 'How we sign in.',
      runtime: { name: 'nodejs', options: { typescript: false } },
    });
  });

  test('asks for what the program requires, each with a description, and hides what is secret', () => {
    const text = readFileSync(join(folder, 'index.ts'), 'utf8');
    const required = [...text.matchAll(/config\.require(Secret)?\('(\w+)'\)/g)];
    expect(required.map(([, secret, name]) => [name, secret !== undefined]).sort()).toEqual(
      Object.entries(questions)
        .map(([name, { secret = false }]) => [name, secret])
        .sort(),
    );
    for (const { description } of Object.values(questions)) expect(description).toMatch(/\w/);
  });

  test('depends on what the package needs', () => {
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const { version, peerDependencies, peerDependenciesMeta } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    );
    const needed = Object.entries(peerDependencies).filter(([name]) => !peerDependenciesMeta[name]?.optional);
    expect(dependencies).toEqual({ ...Object.fromEntries(needed), 'gatehouse-login': `^${version}` });
  });

  longTest('is a program that can be planned', async () => {
    const env = { ...process.env, PULUMI_CONFIG_PASSPHRASE: passphrase, VAULT_TOKEN: service().token };
    const stack = await readStack(folder, 'dev', env);
    const request = { stack, dryRun: true, refresh: false, targets: [] };
    const { succeeded, diagnostics, steps } = await new LocalEngine({ env }).run({
      verb: 'preview',
      ...request,
    });
    expect([succeeded, diagnostics]).toEqual([true, []]);
    const created = steps.map(({ urn }) => urn.split('::').at(-1));
    expect(created).toEqual(expect.arrayContaining(['secrets-read-policy', 'staff-mount', 'staff-reader']));
    expect(created).toContain('staff-admins-group');
  });
});
