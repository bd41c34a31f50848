import { expect, test } from '@jest/globals';
import { decideAccess } from '../../../src/access/questions/change.ts';
import { withOtherNames } from '../../../src/access/questions/new-names.ts';
import type { Change } from '../../../src/graph/change.ts';
import { change } from '../../worlds.ts';

/** Kind of change, method and name, with the other name. */
function namesIn(text: string, rest: Partial<Change> = {}): string[] {
  const whole = change(text, rest);
  return withOtherNames(whole, decideAccess(whole, 0n), 0n).flatMap(({ kind, principals, otherName }) =>
    otherName === undefined
      ? []
      : `${kind} ${principals.kind} ${principals.method}/${principals.name}: ${otherName.method}/${otherName.name}`,
  );
}

const ci = 'method ci jwksUrl: https://ci.example/keys';
const read = 'policy read: secret/data/* read';
const renamed = '- role build read boundSubject: x\n + role builder read boundSubject: x';

test('a role that is equal but for its name has the other name on both sides', () => {
  expect(namesIn(`${ci}\n ${read}\n ${renamed}`)).toEqual([
    'opened role ci/builder: ci/build',
    'closed role ci/build: ci/builder',
  ]);
});

test('a mount that is equal but for its path has its roles and groups under other names', () => {
  const at = (sign: string, path: string) =>
    `${sign} method ${path} jwksUrl: https://ci.example/keys\n ${sign} role ${path}/build read groupsClaim: groups
     ${sign} alias /ops ${path} ops`;
  expect(namesIn(`${read}\n group ops read\n ${at('-', 'ci')}\n ${at('+', 'pipelines')}`)).toEqual([
    'opened role pipelines/build: ci/build',
    'opened alias pipelines//ops: ci//ops',
    'closed role ci/build: pipelines/build',
    'closed alias ci//ops: pipelines//ops',
  ]);
});

const doubts: [what: string, text: string, rest?: Partial<Change>][] = [
  ['a bound differs', `${ci}\n ${read}\n ${renamed.replace(/x$/, 'y')}`],
  ['a policy differs', `${ci}\n ${read}\n ${renamed.replace('builder read', 'builder read,root')}`],
  ['the lifetime differs', `${ci}\n ${read}\n ${renamed}, tokenTtl: 60`],
  [
    'the text of the policy changes',
    `${ci}\n ~ policy read: secret/data/* read → secret/data/* update\n ${renamed}`,
  ],
  ['the text of the policy is not known', `${ci}\n ${renamed}`],
  ['the method changes', `~ ${ci} → jwksUrl: https://other.example/keys\n ${read}\n ${renamed}`],
  ['two new roles are equal', `${ci}\n ${read}\n ${renamed}\n + role second read boundSubject: x`],
  ['two roles that are gone are equal', `${ci}\n ${read}\n ${renamed}\n - role second read boundSubject: x`],
  [
    'a policy reads the name of the role',
    `${ci}\n ${read}\n policy own: secret/{{identity.entity.aliases.a.metadata.role}}/* read\n ${renamed}`,
  ],
  [
    'something is unknown',
    `${ci}\n ${read}\n ${renamed}`,
    { unknown: [{ type: 'policy', name: 'read', field: 'text' }] },
  ],
  ['the mount is replaced', `${ci}\n ${read}\n ${renamed}`, { replaced: [{ type: 'method', name: 'ci' }] }],
  [
    'an entity hangs on a mount that moves',
    `${read}\n entity ann read\n - entity-alias ann ci ann\n - ${ci}\n - role build read
       + method pipelines jwksUrl: https://ci.example/keys\n + role pipelines/build read`,
  ],
  [
    'the keys of a mount that moves are others',
    `${read}\n - ${ci}\n - role build read\n + method pipelines jwksUrl: https://other.example/keys
       + role pipelines/build read`,
  ],
];

test.each(doubts.map(([what, text, rest = {}]) => ({ what, text, rest })))(
  'both stay as they are where $what',
  ({ text, rest }) => {
    expect(namesIn(text, rest)).toEqual([]);
  },
);

test('the answers are those of a role that comes and one that goes', () => {
  const whole = change(`${ci}\n ${read}\n ${renamed}`);
  const { gains, losses } = decideAccess(whole, 0n);
  expect([gains, losses]).toEqual(['some', 'some']);
});
