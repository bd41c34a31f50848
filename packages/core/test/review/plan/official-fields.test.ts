import { expect, test } from '@jest/globals';
import { tuneFields } from '../../../src/graph/resources/auth-method.ts';
import { credentials } from '../../../src/graph/resources/credentials.ts';
import { type Fields, fieldNamed } from '../../../src/graph/resources/field.ts';
import { resources } from '../../../src/graph/resources/resources.ts';
import { bearingOfField, trustOf } from '../../../src/graph/resources/trust.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { knownType, typeInPlan } from '../../../src/review/plan/resource-types.ts';
import { review } from '../../../src/review/review.ts';
import { officialArguments } from '../../graph/resources/official-types.ts';
import { entries } from '../../worlds.ts';
import { now } from '../graphs.ts';
import { terraform } from './terraform.ts';

const judged = [...officialArguments].flatMap(([type, fields]) => {
  const known = knownType(type);
  return known === undefined || fields.length === 0 ? [] : [{ type, known, fields }];
});
const ofService = ['id', 'namespace', 'accessor', 'uuid'];

/** Whether a table says what a field of a type decides. */
function hasAnswer({ type, of }: NonNullable<ReturnType<typeof knownType>>, field: string): boolean {
  const { fields: table = {}, lookedAt = [], references = {}, isCompared } = typeInPlan(type);
  if (ofService.includes(field) || lookedAt.includes(field) || field in references) return true;
  const written = field.replace(/_wo(?:_version)?$/, '');
  if (fieldNamed(table, written) !== undefined || fieldNamed(tuneFields, field) !== undefined) return true;
  if (credentials.includes(written)) return true;
  const kind = of.includes('mfa') ? 'mfa' : (of.split(' ')[0] ?? '');
  return isCompared === true && (trustOf(kind, field) ?? bearingOfField(field)) !== undefined;
}

const unanswered = judged.flatMap(({ type, known, fields }) =>
  fields.filter((field) => !hasAnswer(known, field)).map((field) => `${type}.${field}`),
);

test('these fields of the provider are in no table', () => {
  expect(judged.length).toBeGreaterThan(55);
  expect(unanswered).toEqual([
    // What the block `custom_endpoint` has in it.
    ...['api', 'compute', 'crm', 'iam'].map((name) => `vault_gcp_auth_backend.${name}`),
    ...['custom_metadata', 'external_id', 'issuer'].map((name) => `vault_identity_entity_alias.${name}`),
    // What the service reads out of a file of settings.
    ...['admin_url', 'authenticator_url', 'idp_url', 'org_alias', 'use_signature'].map(
      (name) => `vault_identity_mfa_pingid.${name}`,
    ),
  ]);
});

/** What names a resource of any type, and what it hangs on. */
const names = `path: m, backend: m, mount: m, name: x, role: x, role_name: x, username: x, groupname: x, group_name: x, user: x,
  team: x, group: x, type: oidc, mount_accessor: acc-m, canonical_id: id-e, group_id: id-g, entity_id: id-e, policy: '', policies: [a]`;

test.each([...judged.map(({ type }) => `${type}.not_yet_known`), ...unanswered])(
  'a change of %s, which no table has, is never nothing',
  (field) => {
    const [type = '', name = ''] = field.split('.');
    const line = `~ ${type.slice('vault_'.length)}.x ${names}, ${name}: one → ${name}: other`;
    expect(review(readPlan(terraform(entries(line))), { now }).gains).not.toBe('none');
  },
);

test('a field that decides nothing says why', () => {
  const tables: Fields[] = [tuneFields, ...resources.map(({ fields }) => fields)];
  const silent = tables.flatMap((table) => {
    const fields = Object.entries(table);
    // A message decides nothing by any field.
    if (fields.every(([, { bearsOn }]) => bearsOn === 'nothing')) return [];
    return fields.flatMap(([name, { bearsOn, inert }]) =>
      (bearsOn === 'nothing') === (inert === undefined) ? [name] : [],
    );
  });
  expect(silent).toEqual([]);
});
