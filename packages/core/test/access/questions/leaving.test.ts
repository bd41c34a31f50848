import { describe, expect, test } from '@jest/globals';
import { decideAccess } from '../../../src/access/questions/change.ts';
import { giverWords } from '../../../src/words/giver-words.ts';
import { reasonWords } from '../../../src/words/reason-words.ts';
import { now } from '../../review/graphs.ts';
import { change } from '../../worlds.ts';

const policies = 'policy open: secret/* read\n policy shut: secret/prod/* deny';
const closed = `${policies}
  group closed shut
  alias acme/shop ci closed`;
const all = 'complete methods groups aliases policies identities others guards roles:ci roles:people';
const reads = 'userClaim: p, groupsClaim: p';
const another = `role another - ${reads}`;
const stops = (policy = '-') => `~ role r ${policy} ${reads} → groupsClaim: null`;

const decided = (...lines: string[]) => decideAccess(change(`${lines.join('\n')}\n ${all}`), now);

/** What people gain who leave a group, with what else their tokens have. */
const gainsOf = (...lines: string[]) =>
  decided(...lines).changes.flatMap(({ principals, gains, paths, together = [], uncertain }) =>
    principals.group === undefined || gains === 'none'
      ? []
      : [
          gains,
          ...paths.flatMap(({ path, gained }) => [...gained, path]),
          ...together.flat().map(giverWords),
          ...uncertain.map(reasonWords),
        ].join(' '),
  );

// Measured: promise.openbao.test.ts.
describe('people leave a group by a sign-in that does not find it', () => {
  test.each<[what: string, ...lines: string[]]>([
    ['role ci/r', closed, another, stops('open')],
    ['role ci/another', closed, `role another open ${reads}`, stops()],
    ['role ci/another', closed, `role another open ${reads}, boundClaims: {p: acme/shop}`, stops()],
    ['role ci/another', closed, `role another open ${reads}`, '+ role new - userClaim: p'],
    [
      'role ci/another',
      closed,
      `role another open ${reads}`,
      '+ role no-one - userClaim: p, boundClaims: {x: []}',
    ],
    ['role ci/r', closed, another, `~ role r open ${reads} → groupsClaim: teams`],
    ['token role t', closed, another, 'token t open', stops()],
    ['tokens with open of entity ann', closed, another, 'entity ann -\n issued open ann ci', stops()],
    [
      'role people/x',
      closed,
      another,
      'role people/x open\n entity ann -\n entity-alias a ci ann\n entity-alias b people ann',
      stops(),
    ],
    [
      'role ci/r',
      policies,
      'group closed -\n internal outer shut group:closed\n alias acme/shop ci closed',
      another,
      stops('open'),
    ],
  ])('and gain with %s', (giver, ...lines) => {
    expect(gainsOf(...lines)).toEqual([`some read secret/prod/* ${giver}`]);
  });

  test('though no rule denies: one of the group came first', () => {
    const precise = 'policy open: secret/* read,update\n policy precise: secret/prod/* read';
    const group = 'group closed precise\n alias acme/shop ci closed';
    expect(gainsOf(precise, group, another, stops('open'))).toEqual(['some update secret/prod/* role ci/r']);
  });

  test.each<[what: string, ...lines: string[]]>([
    ['the claim is named by a pointer', another, `~ role r open ${reads} → groupsClaim: /p`],
    ['everyone could before', another, 'role before - userClaim: p', stops('open')],
  ])('but gain nothing where %s', (_, ...lines) => {
    expect(decided(closed, ...lines)).toMatchObject({ gains: 'none' });
  });

  test.each([
    ['some could', 'userClaim: p, boundClaims: {x: y}'],
    ['they could as other entities', 'userClaim: sub'],
    ['they could leave groups of another claim', 'userClaim: p, groupsClaim: teams'],
  ])('and gain where before %s', (_, before) => {
    expect(gainsOf(closed, another, `role before - ${before}`, stops('open'))).toEqual([
      'some read secret/prod/* role ci/r',
    ]);
  });

  test('and what the group grants is lost by the role that reads it no longer, and said once', () => {
    const lines = ['policy open: secret/* read\n group g open\n alias a ci g', another, stops()];
    const { changes, gains } = decided(...lines);
    expect(gains).toBe('none');
    expect(changes.map(({ principals: { kind }, losses }) => [kind, losses])).toEqual([['role', 'some']]);
  });

  test('and a policy of the group without a text leaves open what they gain', () => {
    const text = `group closed elsewhere\n alias a ci closed\n ${another}\n ${stops()}`;
    const { changes } = decideAccess(change(text), now);
    expect(changes.find(({ principals }) => principals.kind === 'alias')).toMatchObject({
      gains: 'unknown',
      losses: 'none',
      uncertain: [{ kind: 'text-missing', policies: ['elsewhere'] }],
    });
  });

  test('and what else they hold is asked where not all is known', () => {
    const { gains, unseen } = decideAccess(change(`${closed}\n ${another}\n ${stops()}`), now);
    expect(gains).toBe('unknown');
    expect(unseen.map(reasonWords)).toContain('other grants of alias ci/acme/shop (group closed)');
  });

  test('and a guard on the group asks them for no second factor', () => {
    const guard = 'method ci\n group closed -\n alias acme/shop ci closed\n guard mfa group:closed';
    const { changes } = decided(guard, another, stops());
    const ofGuard = changes.filter(({ principals: { kind } }) => kind === 'other');
    expect(ofGuard).toMatchObject([{ gains: 'some', also: [{ what: { kind: 'unguarded' } }] }]);
  });
});
