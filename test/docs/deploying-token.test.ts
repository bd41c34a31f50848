// What the official plugin asks of a service is recorded: the policy that is written for its stack is to allow it.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { tokenPolicies } from '../../packages/core/src/environment/token-policies.ts';
import type { Graph } from '../../packages/core/src/graph/graph.ts';
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

/** The stack that the recording is of, as its requests name it. */
function recordedStack(): Graph {
  const paths = requests.map(({ path }) => path.replace(/^\/v1\//, ''));
  const found = (pattern: RegExp) => [
    ...new Set(paths.flatMap((path) => pattern.exec(path)?.slice(1).join(' ') ?? [])),
  ];
  const groups = requests.flatMap(({ path, body }) =>
    path === '/v1/identity/group' ? [body?.['name']] : [],
  );
  const graph: any = {
    methods: found(/^auth\/(?!token\/)([^/]+)\/config$/).map((path) => ({ path })),
    roles: found(/^auth\/([^/]+)\/role\/(.+)$/).map((one) => {
      const [method, name] = one.split(' ');
      return { method, name };
    }),
    groups: groups.map((name) => ({ name })),
    aliases: [{}],
    messages: [],
    policies: found(/^sys\/policies\/acl\/(.+)$/).map((name) => ({ name })),
  };
  return graph;
}
const [deploying] = tokenPolicies('prod', [{ path: '', isMade: false, graph: recordedStack() }], false);

/** `step: method path` of each request that a policy refuses. */
function refusedBy(policy: string): string[] {
  const acl = new Acl([{ name: 'gatehouse-prod-deploying', rules: parsePolicy(policy) }], 0n);
  const created = new Set<string>();
  return requests.flatMap(({ step, method, path: recorded, namespace, body }) => {
    const path = recorded.replace(/^\/v1\//, '');
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

describe('the deploying policy of a stack', () => {
  const refused = refusedBy(deploying?.text ?? '');

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
