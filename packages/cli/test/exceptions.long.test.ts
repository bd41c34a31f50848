import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { NewRepository } from '../../../test/harness/new-repository.ts';
import { runCommand } from './running-command.ts';

const env = { PATH: process.env['PATH'] };
const repository = new NewRepository();
const { folder } = repository;

async function review(...options: string[]) {
  const args = ['review', '-s', 'dev', '--json', '--since', 'HEAD', ...options];
  const { code, out, err } = await runCommand(args, env, folder);
  return { code, err, report: out === '' ? undefined : JSON.parse(out) };
}

/** What a pull request wants to get through: everyone gets what administrators have. */
const risky = () =>
  repository.change('reader, policies: [secrets-read]', 'reader, policies: [secrets-admin]');
const exception = (fields: object = {}) => ({
  rule: 'everyone-gains',
  subject: 'role staff/reader',
  because: 'x',
  owner: 'me',
  until: '2027-06-30',
  ...fields,
});
const insert = (text: string) => repository.change('config:\n', `config:\n${text}`);
const inStack = (settings: object) => repository.addSettings(settings);
const inProject = (config: object) =>
  writeFileSync(join(folder, 'Pulumi.yaml'), `${repository.read('Pulumi.yaml')}${stringify({ config })}`);
const except = (fields: object = {}) => inStack({ 'gatehouse:exceptions': [exception(fields)] });
const inFile = (path: string) => {
  writeFileSync(join(folder, path), stringify({ exceptions: [exception()] }));
  insert(`  gatehouse:file: ${path}\n`);
};

type Attempt = [name: string, slip: () => void];
const each = (about: string, names: string[], slip: (name: string) => void) =>
  names.map((name): Attempt => [`${about} ${JSON.stringify(name)}`, () => slip(name)]);
const attempts: Attempt[] = [
  ...each(
    'an exception for',
    [
      'role staff/reader',
      'role STAFF/Reader',
      'role staff/reader',
      'role reader',
      'role *',
      'role staff/*',
      '*',
      'role staff/readers',
      'anyone',
      'method staff',
      'role staff/reader ',
      ' role staff/reader',
    ],
    (subject) => except({ subject }),
  ),
  ...each(
    'an exception from',
    ['policy-widened', 'cannot-be-judged', 'lock-out', 'promise-broken', 'administration-gained'],
    (rule) => inStack({ 'gatehouse:exceptions': [exception(), exception({ rule })] }),
  ),
  ...each('an exception until', ['2026-11-23', '2027-11-01', '9999-12-31', '2020-01-01'], (until) =>
    except({ until }),
  ),
  ...each(
    'off: the rule',
    [
      'everyone-gains',
      'cannot-be-judged',
      'administration-gained',
      'lock-out',
      'policy-unknown',
      'policy-widened',
      'bound-removed',
    ],
    (rule) => inStack({ 'gatehouse:rules': { disabled: { [rule]: 'it is fine' } } }),
  ),
  ...each(
    'known:',
    ['policy secrets-admin', 'role staff/reader', 'group admins', 'method staff', 'entity me'],
    (text) => {
      const [kind, name] = text.split(' ');
      inStack({ 'gatehouse:known': [{ kind, name, because: 'x' }] });
    },
  ),
  ['an exception in the project file', () => inProject({ 'gatehouse:exceptions': [exception()] })],
  [
    'an exception as a default of the project',
    () => inProject({ 'gatehouse:exceptions': { value: [exception()] } }),
  ],
  ...each(
    'an exception written as',
    [
      `gatehouse:exceptions: ${JSON.stringify([exception()])}`,
      `gatehouse:exceptions:\n    - &one ${JSON.stringify(exception())}`,
      `"gatehouse:exceptions": ${JSON.stringify([exception()])}`,
    ],
    (text) => insert(`  ${text}\n`),
  ),
  ...each(
    'an exception, and of the service',
    ['address: http://127.0.0.1:8201', 'address: http://127.0.0.1:8200\n    namespace: a'],
    (other) => {
      except();
      repository.change('address: http://127.0.0.1:8200', other);
    },
  ),
  [
    'an exception in a file of its own',
    () => {
      mkdirSync(join(folder, 'environments'), { recursive: true });
      inFile('environments/dev.yaml');
    },
  ],
  [
    'an exception in a file that git ignores',
    () => {
      writeFileSync(join(folder, '.gitignore'), 'ignored.yaml\n');
      inFile('ignored.yaml');
    },
  ],
  [
    'an exception, with attributes that hide the difference',
    () => {
      writeFileSync(join(folder, '.gitattributes'), '* -diff -text merge=ours export-ignore\n');
      except();
    },
  ],
  ['no confirmation', () => inStack({ 'gatehouse:deployments': { confirm: 'never', complete: false } })],
];

describe('a pull request', () => {
  test.each(attempts)('does not slip its change through with %s', async (_, slip) => {
    risky();
    slip();
    const { code, report, err } = await review();
    // What is not valid is refused.
    if (code === 1) return expect(err).toMatch(/\((environment_invalid|config_\w+)\)/);
    const rules = report.findings.map(({ rule }: { rule: string }) => rule);
    // At another service everything is new: no one gains there, and what is accepted is a finding.
    if (code === 0) return expect(rules).toContain('gate-weakened');
    expect(code).toBe(2);
    return undefined;
  });
});

describe('what the base revision accepts', () => {
  const commit = () => repository.git('commit', '--quiet', '--all', '--message', 'accepted');
  const undo = () => repository.git('reset', '--quiet', '--hard', 'HEAD^');
  const withBase = async (base: object, slip: () => void) => {
    inStack(base);
    commit();
    try {
      risky();
      slip();
      return await review();
    } finally {
      undo();
    }
  };
  const accepted = { 'gatehouse:exceptions': [exception()] };

  test('is a note, with its end, and stops nothing', async () => {
    const { code, report, err } = await withBase(accepted, () => {});
    expect([code, err]).toEqual([0, '']);
    expect(report.findings).toContainEqual(
      expect.objectContaining({
        rule: 'everyone-gains',
        severity: 'info',
        exception: expect.objectContaining({ until: '2027-06-30', severity: 'error' }),
      }),
    );
  });

  test.each([
    ['a later end', 'until: 2027-06-30', 'until: 2027-09-30'],
    ['another subject', 'subject: role staff/reader', 'subject: role staff/admin'],
    ['a promise taken away', 'because: audit', 'because: audit\n      also: x'],
    ['another promise in its place', 'on: secret/data/prod/*', 'on: secret/data/none'],
    ['less confirmation', 'confirm: whenGained', 'confirm: never'],
  ])('is not widened by %s', async (_, was, is) => {
    const base = {
      ...accepted,
      'gatehouse:promises': [
        { never: ['anyone'], can: ['sudo'], on: 'secret/data/prod/*', because: 'audit' },
      ],
      'gatehouse:deployments': { confirm: 'whenGained' },
    };
    const { code, report, err } = await withBase(base, () => repository.change(was, is));
    if (code === 1) return expect(err).toContain('environment_invalid');
    const rules = report.findings.map(({ rule }: { rule: string }) => rule);
    expect(rules).toContain('gate-weakened');
    return undefined;
  });
});

test('there are fifty attempts', () => {
  expect(attempts.length + 6).toBeGreaterThanOrEqual(50);
});
