import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isIn } from '../../../../../test/harness/long-run.ts';
import { recordedExchanges } from '../../../../../test/recorded/official/recording.ts';
import { type Field, wireNameIn } from '../../../src/graph/resources/field.ts';
import { role } from '../../../src/graph/resources/role.ts';
import { unjudgedReasons } from '../../../src/graph/resources/unjudged-types.ts';
import {
  cleaned,
  inertTypes,
  isOfService,
  strayWrite,
  templatesOf,
} from '../../../src/graph/resources/writes.ts';
import { knownType } from '../../../src/review/plan/resource-types.ts';
import { officialPackage } from './official-package.ts';

const types = officialPackage();
const placeholders = (template: string) => [...template.matchAll(/\{\+?([^}]+)\}/g)].map(([, name]) => name);

test('every type of the vault package is sorted: judged, with rows of writes, or not judged for a reason', () => {
  expect(types.length).toBeGreaterThan(150);
  const names = types.map(({ name }) => name);
  expect(names.filter((name) => (knownType(name) === undefined) !== unjudgedReasons.has(name))).toEqual([]);
});

test('every row that the vault package has is over attributes of its type', () => {
  const foreign = types.flatMap(({ name, fields }) =>
    inertTypes.includes(name)
      ? templatesOf(name)
          .flatMap(placeholders)
          .filter((one = '') => !one.startsWith('*.') && !fields.includes(one))
          .map((one) => `${name}: ${one}`)
      : [],
  );
  expect(foreign).toEqual([]);
  expect(types.filter(({ name }) => inertTypes.includes(name)).length).toBeGreaterThan(80);
});

test('a type that the table lacks writes to any path', () => {
  expect(templatesOf('vault_generic_endpoint')).toEqual(['{+path}']);
});

test('of what the official plugin wrote, only namespaces are written by a type that is overlooked', () => {
  const written = recordedExchanges().filter(({ method }) => method !== 'GET');
  const patterns = inertTypes
    .flatMap(templatesOf)
    // What begins with a mount can be anywhere.
    .filter((template) => !template.startsWith('{'))
    .map((template) => new RegExp(`^${template.replace(/\{[^}]+\}|:id/g, '[^/]+')}$`));
  const found = written.filter(({ path }) => patterns.some((pattern) => pattern.test(path)));
  expect(new Set(found.map(({ path }) => path))).toEqual(
    new Set(['sys/namespaces/team', 'sys/namespaces/eu']),
  );
});

test('what the official plugin leaves out of an update is what the table of roles says', () => {
  const updates = Map.groupBy(
    recordedExchanges().filter(({ method, path }) => method === 'PUT' && path.includes('/role/')),
    ({ namespace, path }) => `${namespace} ${path}`,
  );
  const leftOut = new Set<string>();
  for (const all of updates.values()) {
    const bodies = all.map(({ body }) => Object.keys(body ?? {}));
    const known = new Set(bodies.flat());
    for (const body of bodies.slice(1)) for (const name of known) if (!body.includes(name)) leftOut.add(name);
  }
  const fields = Object.entries<Field>(role.fields);
  const named = (which: (field: Field) => boolean) =>
    fields.flatMap(([name, field]) => (which(field) ? [wireNameIn(role.fields, name)] : []));
  const changed = named(({ sent }) => sent === 'changed');
  // No step leaves a period as it is.
  expect(changed.filter((name) => !leftOut.has(name))).toEqual(['token_period']);
  expect([...leftOut].filter((name) => !changed.includes(name)).sort()).toEqual([
    'claim_mappings',
    'max_age',
  ]);
});

test('the paths of the official plugin are clean, and of the service', () => {
  const written = recordedExchanges().filter(({ method }) => method !== 'GET');
  expect(written.filter(({ path }) => cleaned(path) !== path || !isOfService(path))).toEqual([]);
});

test.each([
  ['kv/../sys/policies/acl/a', 'sys/policies/acl/a'],
  ['/auth//approle/./role/x/', 'auth/approle/role/x'],
  ['../v1/sys/x', 'sys/x'],
  ['../sys/x', undefined],
  ['kv/%2e%2e/sys', 'kv/%2e%2e/sys'],
])('the client sends %s to %s', (path, sent) => {
  expect(cleaned(path)).toBe(sent);
});

test.each([
  ['sys/x', true],
  ['ns1/team/auth/approle/role/x', true],
  [' identity/group', true],
  ['cubbyhole/x', true],
  ['kv/auth', false],
  ['authentic/sys-x', false],
])('%s is of the service: %s', (path, is) => {
  expect(isOfService(path)).toBe(is);
});

const filled = (template: string, fields: Record<string, string | null | undefined>, engines = ['known']) =>
  strayWrite(
    template,
    (attribute) => fields[attribute],
    (path) => engines.some((engine) => path.startsWith(`${engine}/`)),
  );

test.each<[string, Record<string, string | null | undefined>, object | undefined]>([
  ['{backend}/role/{role}', { backend: 'nomad', role: 'x' }, undefined],
  ['{backend}/role/{role}', { backend: 'auth/approle', role: 'x' }, { path: 'auth/approle/role/x' }],
  ['{backend}/role/{role}', { backend: 'n', role: '../../auth/a/role/x' }, { path: 'auth/a/role/x' }],
  ['{backend}/role/{role}', { backend: 'n', role: '../../../auth/a' }, {}],
  ['{backend}/role/{role}', { backend: 'ns', role: 'auth/a/role/x' }, { path: 'ns/role/auth/a/role/x' }],
  ['{backend}/role/{role}', { backend: 'known', role: 'auth/a/role/x' }, undefined],
  ['{backend}/role/{role}', { backend: undefined, role: 'x' }, {}],
  ['{backend}/role/{role}', { backend: null, role: 'x' }, {}],
  ['{backend}/role/{role}', { backend: 'n', role: undefined }, {}],
  // The provider leaves such a write out.
  ['{backend}/role/{role}', { backend: 'n', role: null }, undefined],
  ['{mount}/data/{+name}', { mount: 'secret', name: 'team/auth/db' }, undefined],
  ['{mount}/data/{+name}', { mount: 'secret', name: '../../team/auth/db' }, { path: 'team/auth/db' }],
  ['{mount}/data/{+name}', { mount: 'auth/x', name: 'y' }, { path: 'auth/x/data/y' }],
  ['{+path}', { path: 'kv/x' }, undefined],
  ['{+path}', { path: 'ns1/sys/policies/acl/x' }, { path: 'ns1/sys/policies/acl/x' }],
  ['{+path}', { path: 'known/sys/x' }, undefined],
  ['{+path}', { path: 'known/../sys/x' }, { path: 'sys/x' }],
  ['sys/policies/password/{name}', { name: 'a' }, undefined],
  ['sys/policies/password/{name}', { name: '../acl/a' }, { path: 'sys/policies/acl/a' }],
  ['sys/policies/password/{name}', { name: undefined }, {}],
  ['sys/mounts/{path}', { path: 'team/auth/kv' }, undefined],
  ['sys/mounts/{path}', { path: 'auth/approle' }, { path: 'sys/mounts/auth/approle' }],
  ['sys/storage/raft/autopilot/configuration', {}, undefined],
])('%s with %j leads to %j', (template, fields, stray) => {
  expect(filled(template, fields)).toEqual(stray);
});

/** What a path may be made of. */
const words = '.. . %2e%2e sys auth identity ns1 kv x role data policies acl v1'.split(' ');
const part = fc.constantFrom('', ' ', ...words);
const anyText = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join('/'));
const anyTemplate = fc.constantFrom(...new Set(inertTypes.flatMap(templatesOf)));

test('whatever the attributes are, what leads below sys, auth or identity is not overlooked', () => {
  fc.assert(
    fc.property(anyTemplate, fc.array(anyText, { minLength: 4, maxLength: 4 }), (template, texts) => {
      const names = placeholders(template);
      const fields = Object.fromEntries(names.map((name, at) => [name, texts[at]]));
      const stray = filled(template, fields, []);
      const sent = cleaned(template.replace(/\{\+?([^}]+)\}/g, (_, name) => fields[name] ?? ''));
      const [fixed = ''] = template.split('{');
      const isMeant = fixed !== '' && sent?.startsWith(fixed) && !sent.startsWith('sys/mounts/auth/');
      if (sent === undefined) expect(names.length === 0 || stray !== undefined).toBe(true);
      else if (/^(?:sys|auth|identity)\/./.test(sent) && !isMeant && names.length > 0)
        expect(stray).toEqual({ path: sent });
    }),
    { numRuns: isIn('npm test') ? 5_000 : 20_000, seed: 41 },
  );
});

test('below a namespace, what a template of an engine leads to is not overlooked, but for the free text of a value', () => {
  fc.assert(
    fc.property(anyTemplate, fc.array(anyText, { minLength: 4, maxLength: 4 }), (template, texts) => {
      const names = placeholders(template);
      const fields = Object.fromEntries(names.map((name, at) => [name, texts[at]]));
      const sent = cleaned(template.replace(/\{\+?([^}]+)\}/g, (_, name) => fields[name] ?? ''));
      if (!template.startsWith('{') || /\}.*\{\+/.test(template) || sent === undefined) return;
      if (isOfService(sent)) expect(filled(template, fields, [])).toEqual({ path: sent });
    }),
    { numRuns: isIn('npm test') ? 5_000 : 20_000, seed: 42 },
  );
});
