import { describe, expect, test } from '@jest/globals';
import type { Graph } from '../../../src/graph/graph.ts';
import { otherMethod } from '../../../src/graph/nodes/other-method.ts';
import { otherRole } from '../../../src/graph/nodes/other-role.ts';
import { type InertTypes, inertRows, type Undoing } from '../../../src/graph/resources/inert-types.ts';
import {
  officialTypes,
  type Unmodeled,
  unmodeled,
  unmodeledOf,
} from '../../../src/graph/resources/unmodeled.ts';
import { templatesOf } from '../../../src/graph/resources/writes.ts';
import { readPlan } from '../../../src/review/plan/read-plan.ts';
import { review } from '../../../src/review/review.ts';
import { entries } from '../../worlds.ts';
import { now } from '../graphs.ts';
import { serviceWith } from './service-under-plan.ts';
import { terraform } from './terraform.ts';

/** Methods that ask none of the systems that a row is about. */
const foreign = 'mount people userpass';
/** A method of each kind that anything could be trusted by, but for those of unknown types. */
const trusting = `
  method own jwksUrl: https://vault.example/v1/identity/oidc/.well-known/keys
  method keys jwtValidationPubkeys: [k]
  method cloud oidcDiscoveryUrl: https://accounts.google.com
  mount cert cert
  mount spiffe spiffe
  mount ldap ldap
  mount aws aws
  mount k8s kubernetes`;

type Settings = Record<string, unknown>;

/** Values by which a setting decides. */
const deciding: Settings = {
  enabled: true,
  options: { file_path: '/x', log_raw: 'true' },
  name: 'authorization',
  purpose: 'asymmetric_sign',
  key_ring: 'ring',
  crypto_key: 'key',
  allowed_managed_keys: ['ca'],
  allowed_response_headers: ['Replay-Nonce'],
  delegated_auth_accessors: ['acc-m'],
};

/** What a resource of a type is called where: its writes lead where they are meant to. */
function placed(type: string): Settings {
  const names = templatesOf(type).flatMap((template) =>
    [...template.matchAll(/\{\+?(\w+)\}/g)].map(([, name = '']) => [name, 'x'] as const),
  );
  return Object.fromEntries(names);
}

function lineOf(sign: '+' | '~', type: string, before: Settings, after: Settings = {}): string {
  const text = (settings: Settings) =>
    Object.entries(settings)
      .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
      .join(', ');
  const arrow = sign === '~' ? ` → ${text(after)}` : '';
  return `${sign} ${type.slice('vault_'.length)}.x ${text(before)}${arrow}`;
}

/** It is made, or something of it changes. */
function plansOf(type: string): string[] {
  const at = placed(type);
  return [lineOf('+', type, at), lineOf('~', type, { ...at, setting: 1 }, { setting: 2 })];
}

/** It is made, or changed, such that it gives a credential by a row. */
function givingPlan(type: string, { needs, where, only }: Unmodeled): string {
  const at = placed(type);
  if (only !== undefined) return lineOf('~', type, at, { [only[0] ?? '']: 'other' });
  const fields = [...(needs === undefined ? [] : [needs]), ...Object.keys(where ?? {})];
  const set = fields.flatMap((field) => (field in deciding ? [[field, deciding[field]]] : []));
  return lineOf('+', type, { ...at, ...Object.fromEntries(set) });
}

function gainsOn(service: string | undefined, plan: string, parts: Partial<Graph> = {}): string {
  const read = readPlan(terraform(entries(plan)));
  return review(read, { now, ...(service !== undefined && { live: serviceWith(service, parts) }) }).gains;
}

/** A method of a type, and a role that lets in anyone of the party that it trusts. */
function mountOf(type: string): Graph['others'] {
  const role = otherRole({ type, method: 'm', noun: 'role', name: 'any' }, { token_policies: ['read'] });
  return [otherMethod('m', type, { type }), role];
}

/** A secret id that a value newly holds, where a role reads it. */
const valueWritten = {
  service: `${foreign}
    method ci oidcDiscoveryUrl: https://id.example
    role build read
    policy read: secret/* read
    policy write: other/* update
    mount approle approle
    approle approle/app write`,
  plan: `
    approle_auth_backend_role_secret_id.s backend: approle, role_name: app, secret_id: abcdefgh
    + kv_secret.c path: secret/shared/creds, data_json: '{"a":"abcdefgh"}'`,
};

/** Answers in the worlds that undo it, by their names. */
function undone(type: string, undoing: Undoing): [world: string, gains: string][] {
  switch (undoing.by) {
    case 'unknown method':
      return plansOf(type).map((plan) => [plan, gainsOn(`${foreign}\n mount sso acme-sso`, plan)]);
    case 'resource':
      return officialTypes(undoing.types).flatMap((other) =>
        unmodeledOf(other).map((row): [string, string] => {
          const plan = `${plansOf(type)[0]}\n ${givingPlan(other, row)}`;
          return [plan, gainsOn(trusting, plan)];
        }),
      );
    case 'reaching rule': {
      const service = `${foreign}\n policy above: x/* update`;
      return plansOf(type)
        .slice(0, 1)
        .map((plan) => [plan, gainsOn(service, plan)]);
    }
    case 'value': {
      const plan = `${plansOf(type)[0]}\n ${valueWritten.plan}`;
      return [[plan, gainsOn(valueWritten.service, plan)]];
    }
    case 'field':
      return unmodeledOf(type).map((row) => [
        givingPlan(type, row),
        gainsOn(trusting, givingPlan(type, row)),
      ]);
    case 'nothing':
      return [];
  }
}

const inert: [string, InertTypes][] = inertRows.flatMap((row) =>
  officialTypes(row.types).map((type): [string, InertTypes] => [type, row]),
);

describe('an inert type', () => {
  test.each(inert)('%s lets no one gain while nothing undoes it', (type) => {
    for (const plan of plansOf(type)) {
      // A plan alone does not show all policies.
      if (type !== 'vault_namespace') expect([plan, gainsOn(undefined, plan)]).toEqual([plan, 'none']);
      expect([plan, gainsOn(foreign, plan)]).toEqual([plan, 'none']);
    }
  });

  test.each(inert)(
    '%s is not inert in a world that undoes it, or says why there is none',
    (type, { undoneBy }) => {
      expect(undoneBy.length).toBeGreaterThan(0);
      for (const undoing of undoneBy) {
        const worlds = undone(type, undoing);
        if (undoing.by === 'nothing') expect(undoing.why.length).toBeGreaterThan(30);
        else expect(worlds.length).toBeGreaterThan(0);
        for (const [plan, gains] of worlds) expect([plan, gains]).not.toEqual([plan, 'none']);
      }
    },
  );

  const never = inert.filter(([, { undoneBy }]) => undoneBy.every(({ by }) => by === 'nothing'));
  test.each(never)('%s, which nothing undoes, lets no one gain whatever methods there are', (type) => {
    for (const plan of plansOf(type))
      expect([plan, gainsOn(`${trusting}\n mount sso acme-sso`, plan)]).toEqual([plan, 'none']);
  });
});

/** What people have whom the method `m` lets in, and what others may ask an engine for. */
const readers = `${foreign}
  user people/ann ask
  policy ask: x/* update
  policy read: secret/* read`;
const roles = `${readers}
  role m/any read`;

const giving = unmodeled.flatMap((row) => officialTypes(row.types).map((type) => ({ type, row })));

describe('a type that gives a credential', () => {
  test.each(giving.filter(({ row }) => !row.isOpen && !row.isRead))(
    '$type lets no one gain where no method trusts it',
    ({ type, row }) => {
      expect(gainsOn(foreign, givingPlan(type, row))).toBe('none');
    },
  );

  test.each(giving)('$type is not inert where a method could trust it', ({ type, row }) => {
    const { types, keysFrom, givenKeys } = row.trusting;
    const urls = [
      'https://vault.example/v1/identity/oidc',
      'https://accounts.google.com',
      'https://login.microsoftonline.com/x',
      'https://any.example/v1/keys',
    ].filter((url) => keysFrom?.test(url));
    const methods = [
      ...urls.map((url) => `method m oidcDiscoveryUrl: ${url}`),
      ...(givenKeys ? ['method m jwtValidationPubkeys: [k]'] : []),
    ];
    const plan = givingPlan(type, row);
    for (const method of methods)
      expect([method, gainsOn(`${roles}\n ${method}`, plan)]).not.toEqual([method, 'none']);
    for (const mounted of [...types, 'acme-sso'])
      expect([mounted, gainsOn(readers, plan, { others: mountOf(mounted) })]).not.toEqual([mounted, 'none']);
  });

  test.each(giving)(
    '$type is not inert by a plan alone, which does not show all methods',
    ({ type, row }) => {
      expect(gainsOn(undefined, givingPlan(type, row))).not.toBe('none');
    },
  );
});
