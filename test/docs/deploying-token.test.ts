// What the official plugin asks of a service is recorded: the documented policy is to allow it.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { Acl } from '../../packages/core/src/graph/policies/acl.ts';
import { parsePolicy } from '../../packages/core/src/graph/policies/parse-policy.ts';
import { needsSudo } from '../../packages/secrets-service/src/policies/acl-of.ts';

interface Recorded {
  step: string;
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  path: string;
  namespace?: string;
  body?: { [name: string]: unknown } | null;
}

const under = (path: string) => new URL(`../../${path}`, import.meta.url);
const requests: Recorded[] = gunzipSync(readFileSync(under('test/recorded/official/openbao-2.7.2.jsonl.gz')))
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const text = readFileSync(under('docs/deploying-token.hcl'), 'utf8');

/** The path with the names that the policy expects: auth methods below `login/`, and a prefix for each policy. */
function expected(path: string): string {
  return path
    .replace(/^\/v1\//, '')
    .replace(/^((?:sys\/|sys\/mounts\/)?auth)\/(?!token\/)/, '$1/login/')
    .replace(/^sys\/policies\/acl\/extra$/, 'sys/policies/acl/secrets-extra');
}

/** `step: method path` of each request that a policy refuses. */
function refusedBy(policy: string): string[] {
  const acl = new Acl([{ name: 'gatehouse-deployer', rules: parsePolicy(policy) }], 0n);
  const created = new Set<string>();
  return requests.flatMap(({ step, method, path: recorded, namespace, body }) => {
    const path = expected(recorded);
    // Needs no token.
    if (path === 'sys/seal-status') return [];
    // Of the paths of auth methods, roles alone ask for `create` where there is none yet.
    const isNew = /\/role\//.test(path) && !created.has(path);
    const capability = {
      GET: 'read',
      DELETE: 'delete',
      PUT: isNew ? 'create' : 'update',
      POST: 'update',
    } as const;
    if (method === 'PUT') created.add(path);
    if (method === 'DELETE') created.delete(path);
    const seen = namespace === undefined ? path : `${namespace}/${path}`;
    const asked = { path: seen, capability: capability[method], parameters: body ?? {} };
    return acl.allows({ ...asked, needsSudo: needsSudo(path) }) ? [] : [`${step}: ${method} ${path}`];
  });
}

/** Left out on purpose: docs/stacks.md#the-deploying-token says why. */
const leftOut =
  /^(mount moved: \S+ sys\/remount(\/|$)|internal group.*: PUT identity\/group(\/|$)|(namespaces|destroy): \S+ sys\/namespaces\/)/;

describe('docs/deploying-token.hcl', () => {
  const refused = refusedBy(text);

  test('allows every request of the official plugin but those that it leaves out', () => {
    expect(requests).toHaveLength(391);
    expect(refused.filter((one) => !leftOut.test(one))).toEqual([]);
  });

  test('refuses moves, groups of groups and namespaces, which it leaves out', () => {
    const kinds = refused.map((one) => one.replace(/\/(status|id|team|eu)(\/.*)?$/, '/…'));
    expect([...new Set(kinds)]).toEqual([
      'mount moved: POST sys/remount',
      'mount moved: GET sys/remount/…',
      'internal group: PUT identity/group',
      'internal group changes: PUT identity/group/…',
      'namespaces: PUT sys/namespaces/…',
      'namespaces: GET sys/namespaces/…',
      'destroy: DELETE sys/namespaces/…',
      'destroy: GET sys/namespaces/…',
    ]);
  });
});
