import { spawnSync } from 'node:child_process';
import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import { parseAllDocuments, stringify } from 'yaml';
import { environmentOf } from './environment-block.ts';
import { type Block, blocksOf, namedBlocks, projectFiles } from './markdown.ts';

/** What is done with each kind of block of the pages, or why nothing is. */
const kinds: [info: RegExp, how: string][] = [
  [/^yaml$/, 'here: parsed as a whole; an environment is valid, on top of a service'],
  [/^yaml environment$/, 'test/docs/environment-blocks.test.ts'],
  [/^yaml provider$/, 'test/docs/environment-blocks.test.ts, with what it declares'],
  [/^ts$/, 'here: its syntax, and that the package exports what it imports'],
  [/^sh$/, 'here: its syntax; test/docs/commands.test.ts: commands and options'],
  [/^sh run$/, 'test/docs/commands.test.ts runs it'],
  [/^(?:sh|text) (?:tutorial|server)/, 'test/docs/tutorial.long.weekly.test.ts runs it'],
  [/^json$/, 'here: parsed as a whole'],
  [/^diff(?: stack)?$/, 'test/docs/rules.test.ts and test/docs/readme.test.ts'],
  [/^text (?:review|drift)/, 'test/docs/readme.test.ts and test/docs/first-review.test.ts'],
  [/^text dev$/, 'test/docs/start.long.test.ts'],
  [/^text namespaces$/, 'test/docs/review.test.ts'],
  [/^text shown /, 'test/docs/troubleshooting.test.ts'],
  [
    /^text$/,
    'output, shortened with …, or commands that need what a test has not: a registry, Pulumi, a root token',
  ],
  [/^mermaid$/, 'a drawing'],
  [/^hcl$/, 'Terraform, or configuration of a server'],
  [
    /^(?:bash|python|go|typescript)$/,
    'programs of other languages, whose SDKs are generated; written from the schema',
  ],
  [/^nginx$/, 'configuration of another program'],
];
/** Environments that are fragments even on top of a service: their first key → why. */
const fragments: Record<string, string> = {
  'gatehouse:file': 'the keys are in a file of its own',
  'gatehouse:reviews': 'its signers are those of docs/pull-requests.md',
};
/** What an environment is shown on top of, where that is more than a service. */
const around: Record<string, object> = {
  'gatehouse:promises': {
    'gatehouse:known': [
      { kind: 'group', name: 'admins', because: 'of the page' },
      { kind: 'role', name: 'ci/backup', because: 'of the page' },
      { kind: 'role', name: 'ci/build', because: 'of the page' },
    ],
  },
};

const isOfPages = ([name]: [string, Block]) => /^(?:README|docs\/(?!adr|inside))/.test(name);
const named = (...infos: string[]) => namedBlocks(...infos).filter(isOfPages);

function configOf(text: string): Record<string, unknown> | undefined {
  const all = parseAllDocuments(text)[0]?.toJS() as Record<string, unknown> | null;
  if (typeof all?.['config'] === 'object') return all['config'] as Record<string, unknown>;
  return Object.keys(all ?? {}).some((key) => key.startsWith('gatehouse:')) ? (all ?? undefined) : undefined;
}

test('every block of every page is run or checked, or the table says why not', () => {
  const pages = projectFiles('README.md', 'docs/*.md').filter(
    (file) => !/^docs\/(?:adr|inside)\//.test(file),
  );
  const unknown = pages
    .flatMap((file) => blocksOf(file))
    .filter(({ info }) => !kinds.some(([pattern]) => pattern.test(info)));
  expect(unknown.map(({ file, line, info }) => `${file}:${line} ${info}`)).toEqual([]);
});

describe('a block of YAML', () => {
  test.each(named('yaml'))('%s is YAML, and valid where it is an environment', (_, { text }) => {
    for (const document of parseAllDocuments(text)) expect(document.errors).toEqual([]);
    const config = configOf(text);
    if (config === undefined || Object.keys(config).some((key) => key in fragments)) return;
    const besides = Object.keys(config).map((key) => around[key] ?? {});
    const service = { 'gatehouse:service': { address: 'https://secrets.example.com:8200' } };
    const whole = Object.assign({}, service, ...besides, config);
    expect(environmentOf(stringify({ config: whole })).service.address).toMatch(/^https?:/);
  });
});

test.each(named('json'))('%s is JSON', (_, { text }) => {
  expect(() => JSON.parse(text)).not.toThrow();
});

test.each(named('sh', 'sh run'))('%s is shell', (_, { text }) => {
  const { stderr, status } = spawnSync('sh', ['-n'], { input: text, encoding: 'utf8' });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
});

test.each(named('ts'))('%s is TypeScript, with imports that there are', async (_, { text }) => {
  expect(() => stripTypeScriptTypes(text)).not.toThrow();
  for (const [, names = '', of = ''] of text.matchAll(/import \{([^}]*)\} from 'gatehouse-login([^']*)'/g)) {
    const module = await import(`../../packages/gatehouse${of === '' ? '/gatehouse' : of}.ts`);
    expect(names.split(',').filter((name) => !(name.trim() in module))).toEqual([]);
  }
});
