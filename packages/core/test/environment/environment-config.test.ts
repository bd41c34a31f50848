import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { serviceAccountKey } from '../../../../test/harness/service-account-key.ts';
import {
  type ConfigSource,
  environmentFromConfig,
  whereIn,
} from '../../src/environment/environment-config.ts';
import { errorOf } from './error-of.ts';

const service = JSON.stringify({ address: 'https://secrets.example.com' });
const noFile = () => {
  throw new Error('ENOENT: no such file');
};
const read = (
  config: Record<string, string>,
  { variables, readFile = noFile }: Partial<Omit<ConfigSource, 'config'>> = {},
) => environmentFromConfig({ config: { 'gatehouse:service': service, ...config }, variables, readFile });

describe('environmentFromConfig', () => {
  test('reads the keys of its own namespace and passes over others', () => {
    const policies = [{ name: 'a', policy: 'path "a" {}' }];
    const config = { 'gatehouse:policies': JSON.stringify(policies), 'aws:region': 'eu-central-1' };
    expect(read(config).policies).toEqual(policies);
  });

  test('keeps the names of the secrets, never the secrets', () => {
    const environment = read({
      'gatehouse:providers': JSON.stringify([{ kind: 'source_hosting', name: 'git', clientId: 'client' }]),
      'gatehouse:clientSecrets': JSON.stringify({ git: 'hunter2' }),
    });
    expect(environment.clientSecrets).toEqual(['git']);
    expect(JSON.stringify(environment)).not.toContain('hunter2');
  });

  test.each([
    ['a text', 'hunter2'],
    ['a text in quotes', '"hunter2"'],
    ['a list', '["hunter2"]'],
    ['a number', '12345678'],
    ['nothing', 'null'],
  ])('refuses secrets that are %s, without repeating them', (_, text) => {
    for (const key of ['clientSecrets', 'serviceAccountKeys', 'runTaskKeys']) {
      const error = errorOf(() => read({ [`gatehouse:${key}`]: text }));
      expect(error.code).toBe('environment_invalid');
      expect(error.message).toBe(
        `the configuration has one problem:\n  gatehouse:${key}: must be a map from name to secret; remove it, then set each one with: gatehouse secret set ${key}.NAME`,
      );
    }
  });

  test('says where secrets that are no map stand', () => {
    const config = { 'gatehouse:service': service, 'gatehouse:clientSecrets': 'hunter2' };
    const readFile = () => 'config:\n  gatehouse:clientSecrets: hunter2\n';
    const { message } = errorOf(() => environmentFromConfig({ config, readFile, stack: 'dev' }));
    expect(message).toContain('\n  Pulumi.dev.yaml:2:3: gatehouse:clientSecrets: must be a map');
  });

  test.each([12345678, ['hunter2'], { secrue: 'hunter2' }, null])('refuses %j as a secret', (secret) => {
    const config = {
      'gatehouse:service': service,
      'gatehouse:runTasks': '[{ "name": "review", "url": "/integrator/review", "stages": ["post_plan"] }]',
      'gatehouse:runTaskKeys': JSON.stringify({ review: secret }),
    };
    const { message } = errorOf(() => environmentFromConfig({ config, readFile: noFile, stack: 'dev' }));
    expect(message).toBe(
      'the configuration has one problem:\n  gatehouse:runTaskKeys.review: must be a text; set it with: gatehouse secret set -s dev runTaskKeys.review',
    );
  });

  test('says of a value that is no JSON what is needed instead', () => {
    const error = errorOf(() => read({ 'gatehouse:providers': '- kind: x' }));
    expect(error.message).toContain('gatehouse:providers: must be a list, not text');
  });
});

describe('the key of a service account', () => {
  const directory = { adminImpersonate: 'admin@example.com' };
  const suite = { kind: 'workspace_suite', name: 'suite', clientId: 'c', directory };
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const elliptic = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const textOf = (key: unknown) => (typeof key === 'string' ? key : JSON.stringify(key));
  const withKey = (key: unknown, source: Partial<ConfigSource> = {}) =>
    environmentFromConfig({
      config: {
        'gatehouse:service': service,
        'gatehouse:providers': JSON.stringify([suite]),
        'gatehouse:clientSecrets': JSON.stringify({ suite: 'hunter2' }),
        'gatehouse:serviceAccountKeys': JSON.stringify({ suite: textOf(key) }),
      },
      readFile: noFile,
      ...source,
    });

  test('is taken as the console gives it, and no part of the environment', () => {
    const environment = withKey({ ...serviceAccountKey, private_key_id: 'hunter3' });
    expect(environment.serviceAccountKeys).toEqual(['suite']);
    expect(JSON.stringify(environment)).not.toContain('hunter3');
  });

  const refused: Record<string, [unknown, RegExp]> = {
    'the path of a file': [
      '/hunter2/key.json',
      /the key is no JSON object; .*directory\.serviceAccountFile$/,
    ],
    'a list': ['["hunter2"]', /the key is no JSON object/],
    'cut off': ['{"type":"service_account","private_key":"hunter2', /the key is no JSON object/],
    'a person’s': [{ ...serviceAccountKey, type: 'hunter2' }, /its `type` is another than service_account/],
    'without a key': [{ ...serviceAccountKey, private_key: undefined }, /the key has no private_key$/],
    'without anything': [{ type: 'service_account' }, /no client_email and no private_key$/],
    'with a key that is no PEM': [
      { ...serviceAccountKey, private_key: 'hunter2' },
      /no PEM private key of type RSA/,
    ],
    'with a key of another type': [
      { ...serviceAccountKey, private_key: elliptic },
      /no PEM private key of type RSA/,
    ],
    'with a public key': [
      { ...serviceAccountKey, private_key: serviceAccountKey.private_key.replaceAll('PRIVATE', 'PUBLIC') },
      /RSA/,
    ],
  };
  test.each(Object.entries(refused))('is refused %s, in words that do not repeat it', (_, [key, problem]) => {
    const { code, message } = errorOf(() => withKey(key));
    expect([code, message]).toEqual(['environment_invalid', expect.stringMatching(problem)]);
    expect(message).toContain('gatehouse:serviceAccountKeys.suite: ');
    expect(message).not.toMatch(/hunter2|BEGIN|MI[GI]/);
  });

  test('is refused at its line of the stack file', () => {
    const yaml = 'config:\n  gatehouse:serviceAccountKeys:\n    suite: { secure: "v1:x" }\n';
    const readFile = (path: string) => (path === 'Pulumi.prod.yaml' ? yaml : noFile());
    const { message } = errorOf(() => withKey('x', { readFile, stack: 'prod' }));
    expect(message).toContain('Pulumi.prod.yaml:3:5: gatehouse:serviceAccountKeys.suite: ');
  });
});

describe('environmentFromConfig with addresses from the environment', () => {
  test('takes the address of the service from GATEHOUSE_SERVICE_ADDRESS first', () => {
    const variables = { GATEHOUSE_SERVICE_ADDRESS: 'http://127.0.0.1:1234' };
    const own = JSON.stringify({ address: 'https://a.example.com', namespace: 'team' });
    const found = read({ 'gatehouse:service': own }, { variables });
    expect(found.service).toMatchObject({ address: 'http://127.0.0.1:1234', namespace: 'team' });
  });

  test('takes the address of the identity provider from GATEHOUSE_IDENTITY_ADDRESS first', () => {
    const variables = { GATEHOUSE_IDENTITY_ADDRESS: 'http://127.0.0.1:1234' };
    expect(read({}, { variables }).identity).toEqual({ address: 'http://127.0.0.1:1234' });
  });
});

describe('environmentFromConfig with gatehouse:file', () => {
  const config = { 'gatehouse:file': 'environments/main.yaml' };
  const withFile = (text: string) => ({ readFile: () => text });

  test('reads the keys in that file beside those in the configuration', () => {
    const reads: string[] = [];
    const readFile = (path: string) => {
      reads.push(path);
      return `policies: [{ name: a, policy: 'path "a" {}' }]`;
    };
    const environment = read(config, { readFile });
    expect(reads).toEqual(['environments/main.yaml']);
    expect(environment.policies).toEqual([{ name: 'a', policy: 'path "a" {}' }]);
    expect(environment.service.address).toBe('https://secrets.example.com');
  });

  test.each([
    ['a key that stands in both', 'service: { address: x }', 'service stands both in this file and in'],
    ['a list', '- a', 'this file holds no map'],
    ['nothing', '', 'this file holds no map'],
  ])('refuses a file that holds %s', (_, text, expected) => {
    const error = errorOf(() => read(config, withFile(text)));
    expect(error.code).toBe('environment_file_invalid');
    expect(error.message).toContain(expected);
    expect(error.message).not.toContain('hunter2');
  });

  test.each(['../main.yaml', 'a/../../main.yaml', '/etc/main.yaml', '..', 'C:\\main.yaml', 'a\\..\\..\\b'])(
    'refuses a file outside the project, and does not read it: %s',
    (file) => {
      const readFile = () => {
        throw new Error('it was read');
      };
      const error = errorOf(() => read({ 'gatehouse:file': file }, { readFile }));
      expect(error.code).toBe('environment_file_invalid');
      expect(error.message).toContain('gatehouse:file: this file is outside the project');
    },
  );

  test.each([
    ['no YAML', '{ hunter2', 'environments/main.yaml:1:10: This is not valid YAML'],
    [
      'aliases of aliases',
      `a: &a [1]\n${'bcdefghij'.replace(/./g, (name, at) => `${name}: &${name} [${`*${'abcdefghi'[at]}, `.repeat(10)}]\n`)}`,
      'environments/main.yaml:7:7: Aliases (`*name`) make this too large.',
    ],
  ])('says where in the file is %s', (_, text, expected) => {
    const error = errorOf(() => read(config, withFile(text)));
    expect(error.code).toBe('stack_file_invalid');
    expect(error.message).toContain(expected);
    expect(error.message).not.toContain('hunter2');
  });

  test('reads 5,000 roles that share an anchor', () => {
    const role = (at: number) => `      - { name: r${at}, userClaim: sub, policies: *p, boundClaims: *c }\n`;
    const text = `providers:
  - kind: jwt
    name: ci
    issuer: https://ci.example.com
    roles:
      - { name: r, userClaim: sub, policies: &p [a], boundClaims: &c { project: x } }
${Array.from({ length: 5000 }, (_, at) => role(at)).join('')}`;
    const [provider] = read(config, withFile(text)).providers;
    expect(provider?.roles).toHaveLength(5001);
    expect(provider?.roles[5000]?.boundClaims).toEqual({ project: 'x' });
  });

  test('refuses a file that cannot be read', () => {
    const error = errorOf(() => read(config));
    expect(error.message).toContain('gatehouse:file: this file cannot be read: ENOENT');
  });
});

describe('environmentFromConfig says where in the stack file a problem is', () => {
  const stackFile = `# a comment
encryptionsalt: v1:x
config:
  gatehouse:service: &service { address: ftp://x }
  gatehouse:providers:
    - kind: source_hosting
      name: git
      clientId: a
      polices: [a]
      roles:
        - { name: reader, ttl: soon }
  gatehouse:rules: { disabled: { realm-ulr: why } }
  gatehouse:file: more.yaml
`;
  const included = 'messages:\n  - title: Work\n    type: popup\n';
  const { config } = parse(stackFile) as { config: Record<string, unknown> };
  const source = {
    config: Object.fromEntries(
      Object.entries(config).map(([key, one]) => [key, typeof one === 'string' ? one : JSON.stringify(one)]),
    ),
    ruleIds: ['realm-url'],
    stack: 'dev',
  };
  const files: Record<string, string> = { 'Pulumi.dev.yaml': stackFile, 'more.yaml': included };
  const problems = (given: Record<string, string>) => {
    const readFile = (path: string) => given[path] ?? (path === 'more.yaml' ? included : fail(path));
    return errorOf(() => environmentFromConfig({ ...source, readFile }))
      .message.split('\n  ')
      .slice(1);
  };
  const fail = (path: string): string => {
    throw new Error(`ENOENT: ${path}`);
  };

  test('with line and column, in that file and the one that gatehouse:file names, and the nearest word', () => {
    const found = problems(files);
    expect(found).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Pulumi\.dev\.yaml:4:33: gatehouse:service\.address: /),
        'Pulumi.dev.yaml:9:7: gatehouse:providers[0]: unknown key `polices`',
        expect.stringMatching(/^Pulumi\.dev\.yaml:11:27: gatehouse:providers\[0\]\.roles\[0\]\.ttl: /),
        'Pulumi.dev.yaml:12:34: gatehouse:rules.disabled.realm-ulr: there is no rule of this id; did you mean `realm-url`?',
        expect.stringMatching(/^more\.yaml:3:5: gatehouse:messages\[0\]\.type: /),
        expect.stringMatching(/^more\.yaml:2:5: gatehouse:messages\[0\]\.message: this field is required/),
        expect.stringMatching(/^gatehouse:clientSecrets\.git: /),
      ]),
    );
  });

  test('in the folder that the project names', () => {
    const found = problems({
      'Pulumi.yaml': 'name: x\nstackConfigDir: stacks/\n',
      'stacks/Pulumi.dev.yaml': stackFile,
    });
    expect(found.join('\n')).toContain('stacks/Pulumi.dev.yaml:9:7: gatehouse:providers[0]: unknown key');
  });

  test('of a template in one file, with its use in the other', () => {
    const templates = 'templates:\n  team:\n    policies:\n      - { name: a, file: a.hcl }\n';
    const own = 'config:\n  gatehouse:file: more.yaml\n  gatehouse:use:\n    - { template: team }\n';
    const config = {
      'gatehouse:service': service,
      'gatehouse:file': 'more.yaml',
      'gatehouse:use': '[{"template":"team"}]',
    };
    const readFile = (path: string) =>
      ({ 'more.yaml': templates, 'Pulumi.dev.yaml': own })[path] ?? fail(path);
    expect(whereIn({ config, readFile, stack: 'dev' })(['policies', 0, 'file'])).toBe(
      'more.yaml:4:20: gatehouse:templates.team.policies[0].file, for gatehouse:use[0] at Pulumi.dev.yaml:4:7',
    );
  });

  test('or which variable has it', () => {
    const readFile = () => stackFile;
    const variables = { GATEHOUSE_SERVICE_ADDRESS: 'ftp://y' };
    const { message } = errorOf(() => environmentFromConfig({ ...source, readFile, variables }));
    expect(message).toContain('\n  GATEHOUSE_SERVICE_ADDRESS: gatehouse:service.address: ');
  });

  test('and by its path alone where there is no such file', () => {
    expect(problems({})).toContain('gatehouse:providers[0]: unknown key `polices`');
  });
});

test('a file is read once, however many problems it has', () => {
  const count = 500;
  const policies = Array.from({ length: count }, (_, index) => ({ nme: `p${index}`, policy: 'x' }));
  const stackFile = `config:\n  gatehouse:policies:\n${policies.map(({ nme }) => `    - { nme: ${nme}, policy: x }\n`).join('')}`;
  const reads: string[] = [];
  const readFile = (path: string) => {
    reads.push(path);
    return path === 'Pulumi.yaml' ? 'name: gatehouse' : stackFile;
  };
  const config = { 'gatehouse:service': service, 'gatehouse:policies': JSON.stringify(policies) };
  const { message } = errorOf(() => environmentFromConfig({ config, readFile, stack: 'dev' }));
  expect(message).toContain(`Pulumi.dev.yaml:${count + 2}:`);
  expect(reads.sort()).toEqual(['Pulumi.dev.yaml', 'Pulumi.yaml']);
});
