import { describe, expect, test } from '@jest/globals';
import { driftTargets } from '../../src/drift/fix-drift.ts';

describe('driftTargets', () => {
  const urn = (name: string) => `urn:pulumi:dev::gatehouse::vault::${name}`;
  const exported = {
    deployment: {
      resources: [
        {
          urn: urn('mount'),
          type: 'vault:jwt/authBackend:AuthBackend',
          outputs: { path: 'staff', accessor: 'a1' },
        },
        {
          urn: urn('alias'),
          type: 'vault:identity/groupAlias:GroupAlias',
          outputs: { name: 'x', mountAccessor: 'a1' },
        },
        {
          urn: urn('other-alias'),
          type: 'vault:identity/groupAlias:GroupAlias',
          outputs: { name: 'y', mountAccessor: 'a2' },
        },
      ],
    },
  };
  const missing = (name: string) => ({
    kind: 'missing' as const,
    subject: { type: 'alias' as const, name, method: 'staff' },
  });

  test('finds an alias by its name and method', () => {
    expect(driftTargets([missing('X')], exported)).toEqual({ targets: [urn('alias')], unknown: [] });
  });

  test('says what the state does not know', () => {
    expect(driftTargets([missing('y')], exported)).toEqual({ targets: [], unknown: [missing('y').subject] });
  });
});
