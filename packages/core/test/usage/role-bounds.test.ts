import { describe, expect, test } from '@jest/globals';
import { roleFields } from '../../src/graph/resources/role.ts';
import { LoggedPrincipals } from '../../src/usage/logged-principals.ts';
import { judgedByMeaning } from '../../src/usage/role-bounds.ts';
import { roleOf, serviceOf, someone } from './replayed-log.ts';

/** A value of each type that is no default; of fields that take few values, one of these. */
const samples: Record<string, unknown> = { text: 'other', flag: true, seconds: 1, texts: ['192.0.2.1'] };
const chosen: Record<string, unknown> = {
  roleType: 'oidc',
  claimMappings: { email: 'email' },
  tokenType: 'batch',
};
const bearing = Object.entries(roleFields).filter(([, { bearsOn }]) =>
  ['access', 'identity'].includes(bearsOn),
);
const [method] = serviceOf().methods;
const signIns = [{ who: someone(), method: 'ci', role: 'web', count: 1, last: 0 }];
const moves = { mounts: [], arrived: [], unplaced: 0 };

describe('whether people of a log still sign in', () => {
  test.each(bearing.filter(([name]) => !judgedByMeaning.includes(name)))(
    'is not known where %s of their role changes',
    (name, { type }) => {
      const after = serviceOf({ roles: [{ ...roleOf(), [name]: chosen[name] ?? samples[type] }] });
      const principals = new LoggedPrincipals({ graph: serviceOf() }, after, { signIns, moves });
      expect(principals.held(someone()).after.signIn?.answer).toMatch(/^(unknown|open)$/);
    },
  );

  test('is not known where their method makes tokens of another type', () => {
    if (method === undefined) throw new Error('a service has a method');
    const after = serviceOf({ methods: [{ ...method, tune: { tokenType: 'batch' } }] });
    const principals = new LoggedPrincipals({ graph: serviceOf() }, after, { signIns, moves });
    expect(principals.held(someone()).after.signIn?.answer).toBe('unknown');
  });
});
