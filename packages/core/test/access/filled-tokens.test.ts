import { describe, expect, test } from '@jest/globals';
import { decideAccess } from '../../src/access/questions/change.ts';
import type { Change } from '../../src/graph/change.ts';
import { causeWords } from '../../src/words/path-cause-words.ts';
import { now } from '../review/graphs.ts';
import { change } from '../worlds.ts';

const byName = 'policy t: kv/{{identity.groups.names.g9.name}}/* read';
const byTeam = 'policy t: kv/{{identity.entity.metadata.team}}/* read';
const byAlias = 'policy t: kv/{{identity.entity.aliases.acc.metadata.team}}/* read';
const reader = 'method j\n role j/r t groupsClaim: groups';
const renamed = (before: string, after: string, policies = '-') =>
  `- group ${before} ${policies}\n - alias a j ${before}\n + group ${after} ${policies}\n + alias a j ${after}`;
const appRole = 'mount apps approle\n approle apps/x t';
const secretId = (before: string, after: string) =>
  `~ secret-id s apps/x metadata: {team: ${before}} → metadata: {team: ${after}}`;
const atApps = { accessors: { acc: 'apps' } };
const people = 'method j\n role j/r t\n entity-alias bob j bob';
const bob = '~ entity bob - metadata: {team: dev} → metadata: {team: prod}';

interface World {
  text: string;
  rest?: Partial<Change>;
  gains?: string[];
  losses?: string[];
}

/** What becomes of patterns, each with the capabilities, and what is not known. */
function decided({ text, rest }: World, complete = 'complete') {
  const answer = decideAccess(change(`${text}\n ${complete}`, rest), now);
  const patterns = (side: 'gained' | 'lost') => {
    const all = answer.changes.flatMap(({ paths }) =>
      paths.flatMap((path) => (path[side].length > 0 ? `${path[side]} ${path.path}` : [])),
    );
    return [...new Set(all)].sort();
  };
  return {
    answers: [answer.gains, answer.losses],
    gains: patterns('gained'),
    losses: patterns('lost'),
    isOpen: answer.uncertain.some(({ kind }) => kind === 'filled-in'),
    changes: answer.changes,
  };
}

const known: Record<string, World> = {
  'a group gets the name that a policy reads': {
    text: `${reader}\n ${byName}\n ${renamed('g0', 'g9')}`,
    gains: ['read kv/g9/*'],
  },
  'a group loses the name': {
    text: `${reader}\n ${byName}\n ${renamed('g9', 'g0')}`,
    losses: ['read kv/g9/*'],
  },
  'a group is made, with its alias': {
    text: `${reader}\n ${byName}\n + group g9 -\n + alias a j g9`,
    gains: ['read kv/g9/*'],
  },
  'a name in another case is another name': {
    text: `${reader}\n ${byName}\n ${renamed('g0', 'G9')}`,
  },
  'a name gets the case that a policy reads': {
    text: `${reader}\n ${byName}\n ${renamed('G9', 'g9')}`,
    gains: ['read kv/g9/*'],
  },
  'another policy of the token denies the filled pattern': {
    text: `${reader.replace(' t ', ' t,d ')}\n ${byName}\n policy d: kv/g9/* deny\n ${renamed('g0', 'g9')}`,
  },
  'another policy of the token denies one path of it': {
    text: `${reader.replace(' t ', ' t,d ')}\n ${byName}\n policy d: kv/g9/a deny\n ${renamed('g0', 'g9')}`,
    gains: ['read kv/g9/*'],
  },
  'another policy of the token gives the same already': {
    text: `${reader.replace(' t ', ' t,d ')}\n ${byName}\n policy d: kv/* read\n ${renamed('g0', 'g9')}`,
  },
  'the group itself denies it': {
    text: `${reader}\n ${byName}\n policy d: kv/g9/* deny\n ${renamed('g0', 'g9', 'd')}`,
  },
  'a denial that a name filled in ends': {
    text: `${reader.replace(' t ', ' t,d ')}\n ${byName.replace(' read', ' deny')}\n policy d: kv/* read
      ${renamed('g9', 'g0')}`,
    gains: ['read kv/g9/*'],
  },
  'the group is not of the method of those who have the policy': {
    text: `method j\n role j/r t\n method k\n role k/r q groupsClaim: groups\n policy q: q read\n ${byName}
      ${renamed('g0', 'g9').replaceAll(' j ', ' k ')}`,
  },
  'no one has the policy': {
    text: `method j\n role j/r q groupsClaim: groups\n policy q: q read\n ${byName}\n ${renamed('g0', 'g9')}`,
  },
  'another group of the token has the policy': {
    text: `method j\n role j/r q groupsClaim: groups\n policy q: q read\n ${byName}\n group h t\n alias h j h
      ${renamed('g0', 'g9')}`,
    gains: ['read kv/g9/*'],
  },
  'two groups swap names': {
    text: `${reader}\n ${byName}\n group g0 -\n group g9 -\n - alias a j g0\n + alias a j g9
      - alias b j g9\n + alias b j g0`,
    gains: ['read kv/g9/*'],
    losses: ['read kv/g9/*'],
  },
  'a renamed group is in an internal group': {
    text: `${reader}\n ${byName}\n ${renamed('g0', 'g9')}\n - internal o - group:g0\n + internal o - group:g9`,
    gains: ['read kv/g9/*'],
  },
  'an internal group around the group of people gets the name': {
    text: `${reader}\n ${byName}\n group g -\n alias a j g\n - internal g0 - group:g\n + internal g9 - group:g`,
    gains: ['read kv/g9/*'],
  },
  'only the internal group around a renamed group is read': {
    text: `${reader}\n ${byName}\n ${renamed('g0', 'g1')}\n - internal g9 - group:g0\n + internal g9 - group:g1`,
  },
  'metadata of a group': {
    text: `${reader}\n ${byName.replace('.name}}', '.metadata.team}}')}\n alias a j g9
      ~ group g9 - metadata: {team: dev} → metadata: {team: prod}`,
    gains: ['read kv/prod/*'],
    losses: ['read kv/dev/*'],
  },
  'metadata of an entity': {
    text: `${people}\n ${byTeam}\n ${bob}`,
    gains: ['read kv/prod/*'],
    losses: ['read kv/dev/*'],
  },
  // It may get an alias wherever people sign in.
  'metadata of an entity without any alias': {
    text: `method j\n role j/r t\n ${byTeam}\n ${bob}`,
    gains: ['read kv/prod/*'],
    losses: ['read kv/dev/*'],
  },
  'metadata of an entity whose sign-ins do not have the policy': {
    text: `method j\n role j/r t\n method k\n role k/r q\n policy q: q read\n entity-alias bob k bob\n ${byTeam}\n ${bob}`,
  },
  'an entity is made for an alias': {
    text: `method j\n role j/r t\n policy t: kv/{{identity.entity.name}}/* read\n + entity bob -\n + entity-alias bob j bob`,
    gains: ['read kv/bob/*'],
  },
  'metadata of a secret id': {
    text: `${appRole}\n ${byAlias}\n ${secretId('dev', 'prod')}`,
    rest: atApps,
    gains: ['read kv/prod/*'],
    losses: ['read kv/dev/*'],
  },
  'a secret id is made': {
    text: `${appRole}\n ${byAlias}\n + secret-id s apps/x metadata: {team: prod}`,
    rest: atApps,
    gains: ['read kv/prod/*'],
  },
  'metadata of a secret id, and the template is of another mount': {
    text: `${appRole}\n method j\n ${byAlias}\n ${secretId('dev', 'prod')}`,
    rest: { accessors: { acc: 'j' } },
  },
  'the group gets a policy as well': {
    text: `${reader}\n ${byName}\n policy d: d read\n - group g0 -\n - alias a j g0\n + group g9 d\n + alias a j g9`,
    gains: ['read d', 'read kv/g9/*'],
  },
  'the group gets a policy as well, and the name gives no more': {
    text: `${reader.replace(' t ', ' t,e ')}\n ${byName}\n policy d: d read\n policy e: kv/* read
      - group g0 -\n - alias a j g0\n + group g9 d\n + alias a j g9`,
    gains: ['read d'],
  },
  'metadata of a secret id, and those who have the policy sign in elsewhere as others': {
    text: `mount apps approle\n approle apps/x q\n policy q: q read\n method j\n role j/r t\n ${byAlias}
      entity bob -\n entity-alias bob j bob\n ${secretId('dev', 'prod')}`,
    rest: atApps,
  },
  'metadata of a secret id of another role': {
    text: `${appRole}\n approle apps/y q\n policy q: q read\n ${byAlias}\n ${secretId('dev', 'prod').replace('apps/x', 'apps/y')}`,
    rest: atApps,
  },
};

describe('with the whole service known, it is decided', () => {
  test.each(Object.entries(known))('%s', (_, world) => {
    const { gains = [], losses = [] } = world;
    const found = decided(world);
    expect({ gains: found.gains, losses: found.losses }).toEqual({ gains, losses });
    expect(found.answers).toEqual([gains, losses].map(({ length }) => (length > 0 ? 'some' : 'none')));
    expect(found.isOpen).toBe(false);
  });
});

const undecided: Record<string, World> = {
  'a template that two groups fill in together': {
    text: `${reader}\n ${byName.replace('/*', '/{{identity.groups.names.h.name}}/*')}\n group h -\n alias h j h
      ${renamed('g0', 'g9')}`,
  },
  'a part of the pattern is read from an entity': {
    text: `${reader}\n ${byName.replace('/*', '/{{identity.entity.metadata.team}}/*')}\n ${renamed('g0', 'g9')}`,
  },
  'a part of the pattern is read by the id of a group': {
    text: `${reader}\n ${byName.replace('/*', '/{{identity.groups.ids.i.name}}/*')}\n ${renamed('g0', 'g9')}`,
  },
  // OpenBao refuses it, unless the policy allows it; others take it as a wildcard.
  'a text with a wildcard': { text: `${people}\n ${byTeam}\n ${bob.replace('prod', '"p*"')}` },
  'a text with a slash': { text: `${people}\n ${byTeam}\n ${bob.replace('prod', 'p/q')}` },
  'an empty text': { text: `${people}\n ${byTeam}\n ${bob.replace('prod', '""')}` },
  'a mount whose accessor is not known': { text: `${appRole}\n ${byAlias}\n ${secretId('dev', 'prod')}` },
  'a mount that is made anew': {
    text: `${appRole}\n ${byAlias}\n ${secretId('dev', 'prod')}`,
    rest: { ...atApps, remadeOthers: ['["mount","approle",null,"apps"]'] },
  },
  'metadata that is known after apply': {
    text: `${appRole}\n ${byAlias}\n ~ secret-id s apps/x metadata: {team: dev} → metadata: {"": later}`,
    rest: atApps,
  },
  'metadata of a secret id, and an entity that signs in elsewhere as well': {
    text: `mount apps approle\n approle apps/x q\n policy q: q read\n method j\n role j/r t\n ${byAlias}
      entity bob -\n entity-alias rid apps bob\n entity-alias bob j bob\n ${secretId('dev', 'prod')}`,
    rest: atApps,
  },
  'metadata of a secret id, and tokens that are made by a token role': {
    text: `mount apps approle\n approle apps/x q\n policy q: q read\n token m t\n ${byAlias}\n ${secretId('dev', 'prod')}`,
    rest: atApps,
  },
  'metadata of the role itself': {
    text: `mount apps approle\n ~ approle apps/x t alias_metadata: {team: dev} → alias_metadata: {team: prod}\n ${byAlias}`,
    rest: atApps,
  },
  'groups that a role newly reads': {
    text: `method j\n role j/q q groupsClaim: groups\n ~ role j/r t groupsClaim: null → groupsClaim: teams
      policy q: q read\n ${byName}\n group g9 -\n alias a j g9`,
  },
};

test.each(Object.entries(undecided))('it is not known with %s', (_, world) => {
  const found = decided(world);
  expect(found.isOpen).toBe(true);
  expect(found.answers[0]).not.toBe('none');
});

test('where other policies may be elsewhere, a gain is known, and that no one gains is not', () => {
  const gain = decided({ text: `${reader}\n ${byName}\n ${renamed('g0', 'g9')}` }, '');
  expect([gain.answers[0], gain.gains, gain.isOpen]).toEqual(['some', ['read kv/g9/*'], false]);
  const loss = decided({ text: `${reader}\n ${byName}\n ${renamed('g9', 'g0')}` }, '');
  expect([loss.answers, loss.losses, loss.isOpen]).toEqual([['unknown', 'some'], ['read kv/g9/*'], true]);
});

test('a row says who gains it, and by what', () => {
  const { changes } = decided({
    text: `${reader}\n role j/other q\n policy q: q read\n ${byName}\n ${renamed('g0', 'g9')}`,
  });
  const [{ principals, together, paths } = { paths: [] }] = changes;
  expect(principals).toMatchObject({ kind: 'alias', name: 'a', group: 'g9' });
  expect(together).toEqual([[{ kind: 'role', method: 'j', name: 'r' }]]);
  expect(causeWords(paths)).toEqual(['Group g9 fills in policy t: kv/g9/*.']);
});
