import { describe, expect, test } from '@jest/globals';
import type { AccessChange, Bounds, ChangedPaths } from '../../../src/access/access-change.ts';
import { decideAccess } from '../../../src/access/questions/change.ts';
import type { Change } from '../../../src/graph/change.ts';
import { alsoWords } from '../../../src/words/also-words.ts';
import { boundsWords, whomWords, wideningWords } from '../../../src/words/condition-words.ts';
import { giverWords } from '../../../src/words/giver-words.ts';
import { reasonWords } from '../../../src/words/reason-words.ts';
import { now, whole } from '../../review/graphs.ts';
import { change } from '../../worlds.ts';

const changesOf = (text: string) => decideAccess(change(text), now).changes;

describe('who gets in by a role, before and after its bounds change', () => {
  test.each<[what: string, change: string, ...kinds: string[]]>([
    ['nothing', 'role r boundSubject: a'],
    ['a bound removed', '~ role r boundSubject: a → boundSubject: null', 'widened'],
    ['a bound added', '~ role r → boundSubject: a', 'narrowed'],
    ['another subject', '~ role r boundSubject: a → boundSubject: b', 'opened', 'closed'],
    ['another value', '~ role r boundClaims: {p: a} → boundClaims: {p: b}', 'widened', 'narrowed'],
    // docs/inside/measured/sign-in.md#jwt-login-in-this-order: without bound audiences, tokens with an audience are
    // refused.
    ['no audience bound any more', '~ role r → boundAudiences: []', 'opened', 'closed'],
    ['any source address', '~ role r tokenBoundCidrs: [10.0.0.0/24] → tokenBoundCidrs: null', 'widened'],
    ['browser instead of token', '~ role r → roleType: oidc', 'opened', 'closed'],
    ['other policies', '~ role r → write', 'changed'],
    ['the policy default, too', '~ role r → tokenNoDefaultPolicy: false', 'changed'],
    [
      'another issuer of the method',
      'role r\n ~ method ci oidcDiscoveryUrl: https://a.example → oidcDiscoveryUrl: https://b.example',
      'opened',
      'closed',
    ],
  ])('%s', (_, text, ...kinds) => {
    expect(changesOf(text).map(({ kind }) => kind)).toEqual(kinds);
  });
});

test.each([
  ['+', { after: 'any ref of repository o/a, audience "secrets"' }],
  ['-', { before: 'any ref of repository o/a, audience "secrets"' }],
])('who that is, in the words of their provider, is told of each side: %s', (sign, whom) => {
  const [found] = changesOf(`
    method ci oidcDiscoveryUrl: https://token.actions.githubusercontent.com
    ${sign} role r boundClaims: {repository: o/a}`);
  const { before, after } = found?.whom ?? {};
  expect({ ...(before && { before: whomWords(before) }), ...(after && { after: whomWords(after) }) }).toEqual(
    whom,
  );
});

test('nothing is told of whom an issuer without words of its own lets in', () => {
  expect(changesOf('+ role r')[0]).not.toHaveProperty('whom');
});

test('of default, a new role shows what is not as services come with', () => {
  const [found] = changesOf(`
    policy default: cubbyhole/* create,read,update,delete,list; auth/token/lookup-self read; secret/* read
    + role r - tokenNoDefaultPolicy: false`);
  expect(found?.paths.map(({ path }) => path)).toEqual(['secret/*']);
});

test('of default, a change is shown', () => {
  const paths = changesOf(`
    ~ policy default: auth/token/lookup-self read; sys/renew update → auth/token/lookup-self read
    role r - tokenNoDefaultPolicy: false`).flatMap((one) => one.paths.map(({ path }) => path));
  expect(paths).toEqual(['sys/renew']);
});

test('a policy that is made may be one that others have already', () => {
  expect(decideAccess(change('+ policy new: a read'), now).unseen).toEqual([
    { kind: 'other-principals', policy: 'new' },
  ]);
});

describe('who comes by a group', () => {
  // Found by a split world: the alias that grants is in another workspace.
  const empty = 'group empty -\n alias /admins ci empty\n policy read: a read';
  const elsewhere = [{ kind: 'open-end', edge: 'group-aliases', node: { kind: 'method', name: 'ci' } }];
  const ofEmpty = { kind: 'open-end', edge: 'identity', node: { kind: 'group', name: 'empty' } };

  test.each([
    [
      'may give those whose aliases are elsewhere',
      'complete groups identities policies guards',
      { gains: 'unknown', unseen: elsewhere },
    ],
    ['may give what the groups have elsewhere', 'complete aliases', { gains: 'unknown', unseen: [ofEmpty] }],
    ['gives nothing more where all of them are here', 'complete', { gains: 'none' }],
  ])('a role that begins to read groups %s', (_, known, found) => {
    expect(decideAccess(change(`${empty}\n ${known}\n ~ role r → groupsClaim: groups`), now)).toMatchObject(
      found,
    );
  });

  test.each([
    ['reads groups no longer', 'null'],
    ['reads groups from another claim', 'teams'],
  ])('a role that %s leaves open what groups elsewhere granted or denied', (_, claim) => {
    const reads = `~ role r groupsClaim: groups → groupsClaim: ${claim}`;
    expect(decideAccess(change(`${empty}\n ${reads}`), now).unseen).toEqual(
      expect.arrayContaining(elsewhere),
    );
  });
});

test('fields that a request may have are told, and what they are allowed for', () => {
  const limited = 'path "a" { capabilities = ["update"] allowed_parameters = { x = [] } }';
  const [found] = changesOf(`role r\n ~ policy read: ${limited} → a update`);
  const limits = [{ side: 'gained', limit: 'allowed_parameters', capabilities: ['update'] }];
  const rule = { path: 'a', capabilities: ['update'], policy: 'read' };
  const why = { decides: { before: rule, after: rule }, cause: { kind: 'rule-changed', policy: 'read' } };
  expect(found?.paths).toEqual([
    { path: 'a', gained: [], lost: [], parametersChange: true, limits, witness: 'a', ...why },
  ]);
});

test('what a plan does not tell cannot be judged', () => {
  const subject = { type: 'role' as const, name: 'r', method: 'ci', field: 'policies' };
  const judged = (...unknown: Change['unknown']) => decideAccess(change('role r', { unknown }), now);
  const [gains, losses] = ['unknown', 'unknown'];
  expect(judged(subject)).toMatchObject({ gains, losses, uncertain: [{ kind: 'hidden-field', subject }] });
  const { field: _, ...whole } = subject;
  expect(judged(whole, whole).uncertain).toEqual([{ kind: 'hidden-field', subject: whole }]);
  const harmless = judged({ ...subject, field: 'verboseOidcLogging' }, { type: 'service', name: 's' });
  expect(harmless).toMatchObject({ gains: 'none', uncertain: [] });
});

test('who loses an entity that denied them something gains it', () => {
  const { gains, changes } = decideAccess(
    change(`
      role r read
      policy read: secret/* read
      policy no-prod: secret/prod deny
      entity e no-prod
      - entity-alias e ci e`),
    now,
  );
  expect(gains).toBe('some');
  const [path, witness] = ['secret/prod', 'secret/prod'];
  const decides = {
    before: { path, capabilities: ['deny'], policy: 'no-prod' },
    after: { path: 'secret/*', capabilities: ['read'], policy: 'read' },
  };
  const why = {
    decides,
    cause: { kind: 'policy-lost', policy: 'no-prod' },
  };
  expect(changes.flatMap(({ paths }) => paths)).toStrictEqual([
    { path, gained: ['read'], lost: [], parametersChange: false, witness, ...why },
  ]);
});

// It may deny what others grant, or come before their broader grants.
describe('a policy goes whose text is not here', () => {
  test('of a role, though nothing is left to it', () => {
    const { gains, changes } = decideAccess(change('~ role r elsewhere → -'), now);
    expect(gains).toBe('unknown');
    const uncertain = [{ kind: 'text-missing', policies: ['elsewhere'] }];
    expect(changes).toMatchObject([{ gains: 'unknown', uncertain }]);
  });

  test('but with its role, nobody gains', () => {
    expect(decideAccess(change('- role r elsewhere'), now).gains).toBe('none');
  });

  test('or comes by an alias, where a role that is not here may read groups', () => {
    const text = 'role r\n group two elsewhere\n + alias h ci two';
    expect(decideAccess(change(text), now).gains).not.toBe('none');
  });
});

describe('a change of everything', () => {
  const everything = `
    method ci jwksUrl: https://a.example/k
    - method gone
    ~ method far jwksUrl: https://f.example/k → jwksUrl: https://g.example/k
    ~ role same p,kept groupsClaim: groups → p,more
    ~ role wide p groupsClaim: groups, boundSubject: x → boundSubject: null
    ~ role narrow p → boundSubject: x
    ~ role left p groupsClaim: groups → groupsClaim: teams
    ~ role lives - ttl: 60 → ttl: 120, userClaim: name
    - role closed p groupsClaim: groups
    + role fresh p groupsClaim: groups
    ~ group one g → g,p
    - group two g
    group bare p
    alias a ci one
    - alias b ci two
    + alias c ci bare
    alias f far one
    ~ policy p: a/* read; b update → a/* read,update; a/x deny
    policy g: g read
    policy kept: b update,read
    - entity bot p
    ~ internal inner p entity:ann → p
    ~ approle app p a: 1, token_ttl: 1, token_no_default_policy: true → p,more a: 2, token_ttl: 2
    - issued p bot
    - guard mfa
    + issued kept bot
    + write sys/x kept
    + guard q type: quota lease count`;

  const boundsIn = (bounds?: Bounds) =>
    bounds === undefined ? 'none' : bounds === 'unknown' ? bounds : boundsWords(bounds);

  /** Everything that is said of a change, in one line. */
  function wordsOf({ principals, bounds, policies, groups, paths, also, ...change }: AccessChange): string {
    const { kind, method: at, name, group } = principals;
    const signed = (sign: string, names: string[]) => names.map((one) => `${sign}${one}`);
    const path = ({ path, gained, lost, witness }: ChangedPaths) =>
      [path, ...signed('+', gained), ...signed('-', lost), 'at', witness].join(' ');
    return [
      [change.kind, kind, at, name, group, `${change.gains}/${change.losses}`].filter(Boolean).join(' '),
      [...signed('+', policies.gained), ...signed('-', policies.lost), ...signed('=', policies.kept)].join(
        ' ',
      ),
      ...(boundsIn(bounds.before) === boundsIn(bounds.after)
        ? []
        : [`from ${boundsIn(bounds.before)} to ${boundsIn(bounds.after)}`]),
      ...(change.together ?? []).map((also) => `with ${also.map(giverWords).join(' and ')}`),
      ...groups.map((one) => `in ${one.name} ${one.policies.join()}`),
      ...paths.map(path),
      ...also.map(
        (one) => `${one.about} ${one.life ?? `${one.gains}/${one.losses}`}: ${alsoWords(one.what)}`,
      ),
      ...change.unread.map((policy) => `unread ${policy}`),
      ...change.uncertain.map(reasonWords),
      ...(change.because === undefined ? [] : [wideningWords(change.because)]),
      ...(change.token === undefined ? [] : [JSON.stringify(change.token.claims)]),
    ].join('; ');
  }

  const decided = () => decideAccess(change(everything), now);

  test('is told for each role, group, entity and other node', () => {
    expect(decided().changes.map(wordsOf)).toEqual([
      'opened role ci fresh some/none; +p; from none to audience "secrets"; in one g,p; in bare p; a/* +read +update at a/y; {"aud":"secrets","sub":"x","groups":"x"}',
      'opened method far some/none; ; from none to audience none; in one g,p; tokens may be signed by keys of https://g.example/k; {"sub":"x"}',
      'opened alias ci c bare some/none; +p; with role ci/lives; a/* +read +update at a/y',
      'opened other tokens with kept of entity bot some/none; +kept; b +read +update at b',
      'opened other write to sys/x some/unknown; +kept; b +read +update at b; what write to sys/x does',
      'widened role ci left some/none; +p; in one g,p; in bare p; a/* +read +update at a/y; claim groups need not be there; {"aud":"secrets","sub":"x","teams":"x"}',
      'widened role ci lives some/none; ; claim sub need not be there; {"aud":"secrets","name":"x"}',
      'widened role ci wide some/none; +p; from claim sub "x", audience "secrets" to audience "secrets"; in one g,p; in bare p; a/* +read +update at a/y; claim sub need not be "x"; {"aud":"secrets","groups":"x","sub":"y"}',
      'changed role ci left some/some; =p; a/* +update at a/y; a/x -read at a/x; b -update at b; groups some/none: groups are read from claim "teams": group one gives g, p; groups some/none: groups are read from claim "teams": group bare gives p; groups none/some: groups are no longer read from claim "groups": group one gives g; groups none/some: groups are no longer read from claim "groups": group two gives g; {"aud":"secrets","sub":"x","teams":"x"}',
      'changed role ci lives some/unknown; ; lifetime longer: ttl goes from 1m to 2m; identity some/unknown: people are identified by claim name instead of claim sub; {"aud":"secrets","name":"x"}',
      'changed role ci narrow some/some; =p; from audience "secrets" to claim sub "x", audience "secrets"; a/* +update at a/y; a/x -read at a/x; b -update at b; {"sub":"x","aud":"secrets"}',
      'changed role ci same some/some; +more -kept =p; a/* +update at a/y; a/x -read at a/x; b -read -update at b; unread more; what policy more allows (its text is missing or unreadable); {"aud":"secrets","sub":"x","groups":"x"}',
      'changed role ci wide some/some; =p; from claim sub "x", audience "secrets" to audience "secrets"; a/* +update at a/y; a/x -read at a/x; b -update at b; {"aud":"secrets","sub":"x","groups":"x"}',
      'changed alias ci a one some/none; +p =g; with role ci/lives; a/* +read +update at a/y',
      'changed alias far f one some/none; +p =g; a/* +read +update at a/y',
      'changed group inner some/some; =p; a/* +update at a/y; a/x -read at a/x; b -update at b',
      'changed other identity mfa login enforcement "mfa" some/none; ; bounds some/none: it denied access and is removed',
      'changed other quota lease count "q" none/some; ; bounds none/some: it is new and denies access',
      'changed other approle role app of approle some/some; +more =p; a/* +update at a/y; a/x -read at a/x; b -update at b; bounds some/some: a goes from one value to another; lifetime longer: token_ttl goes from 1s to 2s; unread more; what policy more allows (its text is missing or unreadable)',
      'narrowed role ci left none/some; -p; in one g; in two g; a/* -read at a/x; b -update at b',
      'narrowed role ci lives none/some; ',
      'narrowed role ci narrow none/some; -p; from audience "secrets" to claim sub "x", audience "secrets"; a/* -read at a/x; b -update at b',
      'closed role ci closed none/some; -p; from audience "secrets" to none; in one g; in two g; a/* -read at a/x; b -update at b',
      'closed method far none/some; ; from audience none to none; in one g',
      'closed alias ci b two none/some; -g; with role ci/same; g -read at g',
      'closed alias ci b two none/some; -g; with role ci/wide; with role ci/narrow; with role ci/left; with role ci/lives; g -read at g',
      'closed entity ann none/some; -p; a/* -read at a/x; b -update at b',
      'closed entity bot none/some; -p; a/* -read at a/x; b -update at b',
      'closed other tokens with p of entity bot none/some; -p; a/* -read at a/x; b -update at b',
    ]);
  });

  test('is told as a whole, with what was not looked at', () => {
    const { changes: _, unseen, ...whole } = decided();
    const grants = (of: string) => `other grants of ${of}`;
    const rests = (of: string) => `groups, policies and second factors elsewhere of ${of}`;
    expect({ ...whole, unseen: unseen.map(reasonWords) }).toEqual({
      gains: 'some',
      losses: 'some',
      life: 'longer',
      uncertain: [],
      unmodeled: [],
      isWhole: false,
      isSetUp: true,
      over: { roles: 7, groups: 7, otherPrincipals: 4, paths: 8 },
      held: { before: new Set(['p', 'kept', 'g']), after: new Set(['p', 'more', 'g', 'kept']) },
      unseen: [
        'other principals with policy p',
        ...['role ci/same', 'role app of approle'].map(grants),
        ...['alias ci/a (group one)', 'alias ci/b (group two)', 'alias ci/c (group bare)'].map(grants),
        ...['alias far/f (group one)', 'entity bot', 'entity ann'].map(grants),
        'entities and groups elsewhere with an alias of auth/gone',
        ...['group two', 'group bare'].map(rests),
        'other groups with an alias of auth/ci',
        ...['group one', 'entity bot'].map(rests),
        'what tokens with kept of entity bot had before',
        rests('group inner'),
      ],
    });
  });
});

describe('a graph that is known as a whole', () => {
  const whole = 'complete methods groups aliases policies identities others';

  test.each([
    [whole, true],
    [`- ${whole}`, false],
    [`+ ${whole}`, false],
  ])('is so on both sides: %s', (complete, isWhole) => {
    expect(decideAccess(change(complete), now).isWhole).toBe(isWhole);
  });

  test.each<[what: string, change: string, ...unseen: string[]]>([
    ['a role', '- role r', 'what others make again at auth/ci, which is replaced'],
    ['an AppRole', '- approle ci/app -', 'what others make again at auth/ci, which is replaced'],
    ['what the change makes again', 'role r'],
    ['a role elsewhere', '- role far/r'],
  ])('lacks %s of a mount that is replaced', (_, text, ...unseen) => {
    const replaced = [{ type: 'method' as const, name: 'ci' }];
    expect(decideAccess(change(`${whole}\n ${text}`, { replaced }), now).unseen.map(reasonWords)).toEqual(
      unseen,
    );
  });
});

test('a token with a pick of policies gains where all of them together do not, and its losses are those of all', () => {
  const found = changesOf(`
    policy p: a deny
    ~ policy q: a read; b read → a read,update
    token t p,q`);
  const byRole = 'token role t';
  const shown = found.map(
    ({ principals, gains, losses }) =>
      `${giverWords(principals.picked ?? { kind: 'other', name: principals.name })} ${gains}/${losses}`,
  );
  expect(shown).toContain(`${byRole} none/some`);
  expect(shown).toContain(`${byRole}, with policy q alone some/none`);
  expect(shown).not.toContain(`${byRole}, with policy p alone none/none`);
});

test('no gain is left out where a group goes with more roles than are looked at each', () => {
  const numbers = Array.from({ length: 60 }, (_, at) => at);
  const roles = numbers.map((at) => `policy p${at}: a/${at} read\n role r${at} p${at} groupsClaim: groups`);
  const denials = numbers.map((at) => `a/${at} deny`).join('; ');
  const { changes } = decideAccess(
    change(`method ci\n alias g ci g\n policy no: ${denials}\n ~ group g no → -\n ${roles.join('\n ')}`),
    now,
  );
  const gained = changes.flatMap(({ paths, together = [] }) =>
    paths.map(({ path }) => `${path} with ${together.flat().map(giverWords).join(', ')}`),
  );
  expect(gained.sort()).toEqual(numbers.map((at) => `a/${at} with role ci/r${at}`).sort());
});

test.each([
  ['whose alias is not known loses by any role', '', 'some'],
  ['with an alias elsewhere alone loses nothing of a role', 'entity-alias a far ann', 'none'],
])('on a service that was read as a whole, an entity %s', (_, alias, losses) => {
  const { before, after } = change(
    `method ci\n role r p\n policy p: a read\n policy no: a deny\n ${alias}\n ~ internal blocked no → no entity:ann`,
  );
  const decided = decideAccess({ ...change(''), before: whole(before), after: whole(after) }, now);
  expect(decided).toMatchObject({ gains: 'none', losses });
});
