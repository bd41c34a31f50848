import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ask, write } from '../../../../../test/harness/ask.ts';
import { isIn } from '../../../../../test/harness/long-run.ts';
import { describeWithOpenBao } from '../../../../../test/harness/openbao.ts';
import { explainSignIn } from '../../../src/access/questions/explain-sign-in.ts';
import type { Graph } from '../../../src/graph/graph.ts';
import { methodFromWire } from '../../../src/graph/resources/auth-method.ts';
import { roleFromWire } from '../../../src/graph/resources/role.ts';
import { graphOf } from '../../review/graphs.ts';

const key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = key.publicKey.export({ type: 'spki', format: 'pem' }) as string;
const base64url = (text: string) => Buffer.from(text).toString('base64url');

function signed(claims: object): string {
  const input = `${base64url('{"alg":"ES256"}')}.${base64url(JSON.stringify(claims))}`;
  const by = { key: key.privateKey, dsaEncoding: 'ieee-p1363' as const };
  return `${input}.${sign('sha256', Buffer.from(input), by).toString('base64url')}`;
}

const some = <Value>(given: fc.Arbitrary<Value>, freq = 2) => fc.option(given, { nil: undefined, freq });
const text = fc.constantFrom('x', 'y', 'Y y', 'é', 'É', '', ' x', 'X', '*', 'a/b', '7', 'true');
const number = fc.constantFrom(7, 7.5, -0.5, 0, 1e15, 2 ** 53 - 1, 1e20, 1e21, 1e-7);
const scalar = fc.oneof({ arbitrary: text, weight: 4 }, number, fc.boolean(), fc.constant(null));
const value = fc.oneof(
  { arbitrary: scalar, weight: 4 },
  fc.array(fc.oneof({ arbitrary: scalar, weight: 4 }, fc.array(scalar)), { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('a', 'b', '0', '', 'a/b', '~'), fc.oneof(scalar, fc.array(scalar)), {
    maxKeys: 2,
  }),
);
const place = fc.constantFrom(
  'a',
  'a',
  'b',
  'groups',
  'sub',
  'aud',
  'nope',
  'é"\\',
  '/a',
  '/a/0',
  '/a/00',
  '/a/b',
  '/a/',
  '/',
  '/a~1b',
  '/~0',
  '/sub',
  '/aud',
  '/aud/0',
  '/exp',
  '/a/-1',
  '/a/b/0',
);
const policies = fc.constantFrom(
  ['p'],
  ['p'],
  ['A', ' a '],
  [],
  ['t-{{.a}}', '{{.sub}}'],
  ['t-{{.a.b}}'],
  ['é{{ .a.b.c }}'],
  ['root'],
);
const bound = fc.oneof(scalar, fc.array(scalar, { minLength: 1, maxLength: 2 }));
const globs = fc.constantFrom<unknown>('*', 'x*', '*y', ['x', 'y*'], 'x', '', '**');
const leeway = some(fc.constantFrom(-1, 0, 30, 100_000), 4);
const time = (usual: number) =>
  fc.oneof(
    { arbitrary: fc.constant(usual), weight: 12 },
    fc.constantFrom<unknown>(undefined, null, 0, -5, usual - 5000, usual + 5000, 1e19, -1e19, '5', 9.2e18),
  );
const now = Math.floor(Date.now() / 1000);

const role = fc
  .record({
    user_claim: fc.oneof({ arbitrary: fc.constant('sub'), weight: 5 }, place),
    user_claim_json_pointer: some(fc.boolean()),
    bound_audiences: some(fc.constantFrom(['app'], ['x', 'app']), 6),
    bound_subject: some(fc.constantFrom('x', 'alice'), 1),
    isGlob: fc.boolean(),
    bound: some(fc.tuple(place, bound, globs), 1),
    groups_claim: some(place, 1),
    claim_mappings: some(
      place.map((name) => ({ [name]: 'm' })),
      1,
    ),
    token_policies: policies,
    token_policies_template_claims: some(fc.boolean()),
    token_no_default_policy: some(fc.boolean(), 1),
    clock_skew_leeway: leeway,
    expiration_leeway: leeway,
    not_before_leeway: leeway,
  })
  .map(({ isGlob, bound: given, ...fields }) => ({
    ...fields,
    role_type: 'jwt',
    bound_claims_type: isGlob ? 'glob' : 'string',
    ...(given === undefined ? {} : { bound_claims: { [given[0]]: isGlob ? given[2] : given[1] } }),
  }));
const claims = fc.record({
  sub: fc.oneof({ arbitrary: fc.constantFrom('alice', 'x', 'é'), weight: 12 }, value),
  aud: fc.oneof({ arbitrary: fc.constant('app'), weight: 12 }, value),
  iat: time(now),
  exp: time(now + 600),
  nbf: fc.oneof({ arbitrary: fc.constant(undefined), weight: 6 }, time(now)),
  a: value,
  b: value,
  groups: fc.oneof(fc.array(text, { maxLength: 3 }), value),
  iss: fc.oneof({ arbitrary: fc.constant(undefined), weight: 12 }, value),
  jti: fc.oneof({ arbitrary: fc.constant(undefined), weight: 12 }, value),
});

// What the rare cases are is in explain-openbao.test.ts; here they meet.
describeWithOpenBao('explain says what OpenBao says, of any token and role', (server) => {
  test('policies, metadata, and the words of a refusal', async () => {
    await write(server(), 'sys/auth/k', { type: 'jwt' });
    await write(server(), 'auth/k/config', { jwt_validation_pubkeys: [pem] });
    const { data } = (await ask(server(), { method: 'GET', path: 'sys/auth/k' })).body;
    const group = async (name: string, of: object, alias?: string): Promise<string> => {
      const { id } = (await write(server(), 'identity/group', { name, ...of })).data;
      if (alias === undefined) return id;
      const tied = { name: alias, mount_accessor: data.accessor, canonical_id: id };
      await write(server(), 'identity/group-alias', tied);
      return id;
    };
    const inner = await group('inner', { type: 'external', policies: ['of-inner', 'P'] }, 'x');
    await group('named', { type: 'external', policies: ['of-named'] }, 'Y y');
    const around = await group('around', { policies: ['of-around'], member_group_ids: [inner] });
    await group('outermost', { policies: ['of-outermost'], member_group_ids: [around] });
    const graph: Graph = graphOf({
      methods: [methodFromWire('k', { type: 'jwt' }, { jwt_validation_pubkeys: [pem] })],
      groups: [
        { name: 'inner', policies: ['of-inner', 'P'] },
        { name: 'named', policies: ['of-named'] },
      ],
      aliases: [
        { name: 'x', method: 'k', group: 'inner' },
        { name: 'Y y', method: 'k', group: 'named' },
      ],
      identities: [
        {
          kind: 'group',
          name: 'around',
          policies: ['of-around'],
          members: [{ kind: 'group', name: 'inner' }],
        },
        {
          kind: 'group',
          name: 'outermost',
          policies: ['of-outermost'],
          members: [{ kind: 'group', name: 'around' }],
        },
      ],
    });
    let [count, letIn] = [0, 0];
    await fc.assert(
      fc.asyncProperty(role, claims, async (fields, given) => {
        const name = `r${count++}`;
        const place = `auth/k/role/${name}`;
        const { status } = await ask(server(), { method: 'POST', path: place, body: fields });
        fc.pre(status < 300);
        const jwt = signed(given);
        const login = { role: name, jwt };
        const { body } = await ask(server(), { method: 'POST', path: 'auth/k/login', body: login });
        const kept = (await ask(server(), { method: 'GET', path: place })).body.data;
        const explained = await explainSignIn(
          { ...graph, roles: [roleFromWire('k', name, kept)] },
          { role: name, presented: { token: jwt }, now: BigInt(Date.now()) * 1_000_000n },
        );
        if (body.auth) letIn++;
        expect(
          explained.signsIn
            ? { policies: explained.policies?.map((one) => one.name), metadata: explained.metadata }
            : { refused: explained.refused?.message },
        ).toEqual(
          body.auth
            ? { policies: body.auth.policies, metadata: body.auth.metadata }
            : { refused: body.errors.join() },
        );
      }),
      { numRuns: isIn('npm test') ? 60 : 5000 },
    );
    expect(letIn).toBeGreaterThan(count / 20);
  }, 300_000);
});
