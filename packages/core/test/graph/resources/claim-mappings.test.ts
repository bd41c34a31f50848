import { describe, expect, test } from '@jest/globals';
import { claimMappings } from '../../../src/graph/resources/claim-mappings.ts';
import { roleFromWire } from '../../../src/graph/resources/role.ts';
import { problemsOfProvider } from '../../environment/environment-fixture.ts';

const problems = (role: object) =>
  problemsOfProvider('source_hosting', { roles: [{ name: 'reader', ...role }] });
const at = 'roles[0]';

describe('claim mappings', () => {
  test.each<[string, unknown, object]>([
    ['a map', { email: 'mail', '/org/team': 'team' }, { email: 'mail', '/org/team': 'team' }],
    ['a list of maps', [{ email: 'mail' }, { upn: 'user' }], { email: 'mail', upn: 'user' }],
    ['a list of texts', ['email=mail', 'upn=a=b, c'], { email: 'mail', upn: 'a=b, c' }],
    ['nothing', [], {}],
  ])('are read from %s', (_, given, expected) => {
    expect(claimMappings.parse(given)).toEqual(expected);
  });

  test('of a service are read as they are', () => {
    const odd = { a: 'x', b: 'x' };
    expect(roleFromWire('oidc', 'a', { claim_mappings: odd }).claimMappings).toEqual(odd);
  });

  const refused: Record<string, unknown> = {
    ': two claims get the same name: give one of them another name': { email: 'user', upn: 'user' },
    ': no one could sign in for the first time with "a b": key contains invalid characters': { email: 'a b' },
    '[1].email: the claim "email" is mapped twice': [{ email: 'a' }, { email: 'b' }],
    '[1]: the claim "email" is mapped twice': ['email=a', 'email=a'],
    '[1]: the mappings above are of another form: write all as maps, or all as `claim=name`': [
      { email: 'a' },
      'upn=b',
    ],
    '[0]: one mapping in each text: write a list': ['email=a,upn=b'],
    ': must be a map, not text': 'email=a',
    ': must be a map, not a list': ['degree'],
    '.email: a claim and the name that it gets must not be empty': { email: '' },
    '[0]: a claim and the name that it gets must not be empty': ['=a'],
    '.email: must be text, not a map': [{ email: { a: 1 } }],
  };
  test.each(Object.entries(refused))('are refused: %s', (problem, given) => {
    expect(problems({ claimMappings: given })).toEqual([`${at}.claimMappings${problem}`]);
  });
});

const refused: Record<string, object> = {
  'tokenTtl: `ttl` is the same and is given as well: keep one of the two': { ttl: '1h', tokenTtl: '2h' },
  'policies[1]: a text of a list holds no comma: make it several': { policies: ['a', 'b,c'] },
  'tokenBoundCidrs[0]: a text of a list holds no comma: make it several': {
    tokenBoundCidrs: ['10.0.0.0/8,127.0.0.1'],
  },
};
test.each(Object.entries(refused))('a role is refused with %s', (problem, role) => {
  expect(problems(role)).toEqual([`${at}.${problem}`]);
});
