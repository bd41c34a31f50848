import { describe, expect, test } from '@jest/globals';
import { claimMappings } from '../../../../core/model/resources/claim-mappings.ts';
import { roleFromWire } from '../../../../core/model/resources/role.ts';
import { problemsOfProvider } from '../environment-fixture.ts';

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

  test.each<[string, unknown, string]>([
    [
      'two claims with one name',
      { email: 'user', upn: 'user' },
      '.upn: the name "user" is given to the claim "email" already; a name is for one claim',
    ],
    [
      'two claims with one name in a list',
      ['email=user', 'upn=user'],
      '[1]: the name "user" is given to the claim "email" already; a name is for one claim',
    ],
    ['a claim twice', [{ email: 'a' }, { email: 'b' }], '[1].email: the claim "email" is mapped twice'],
    ['a claim twice, the same', ['email=a', 'email=a'], '[1]: the claim "email" is mapped twice'],
    [
      'maps and texts in one list',
      [{ email: 'a' }, 'upn=b'],
      '[1]: the mappings above are of another form: write all as maps, or all as `claim=name`',
    ],
    ['several in one text', ['email=a,upn=b'], '[0]: one mapping in each text: write a list'],
    ['one text', 'email=a', ': must be a map, not text'],
    ['a text that names no claim', ['degree'], ': must be a map, not a list'],
    ['no name', { email: '' }, '.email: a claim and the name that it gets must not be empty'],
    ['no claim', ['=a'], '[0]: a claim and the name that it gets must not be empty'],
    ['no text', [{ email: { a: 1 } }], '.email: must be text, not a map'],
  ])('are refused: %s', (_, given, problem) => {
    expect(problems({ claimMappings: given })).toEqual([`${at}.claimMappings${problem}`]);
  });
});

test.each<[string, object, string]>([
  [
    'a field in both spellings',
    { ttl: '1h', tokenTtl: '2h' },
    'tokenTtl: `ttl` is the same and is given as well: keep one of the two',
  ],
  [
    'several policies in one text of a list',
    { policies: ['a', 'b,c'] },
    'policies[1]: a text of a list holds no comma: make it several',
  ],
  [
    'several addresses in one text of a list',
    { tokenBoundCidrs: ['10.0.0.0/8,127.0.0.1'] },
    'tokenBoundCidrs[0]: a text of a list holds no comma: make it several',
  ],
])('a role is refused with %s', (_, role, problem) => {
  expect(problems(role)).toEqual([`${at}.${problem}`]);
});
