import { bothKeys } from '../../access/graph-index.ts';
import type { Change } from '../../graph/change.ts';
import type { OtherAccess } from '../../graph/graph.ts';
import type { otherTypes } from '../../graph/resources/other-types.ts';
import type { ChangeRule } from './rule.ts';

type Type = keyof typeof otherTypes;

/** What comes, goes or changes of these types. */
function changedOf(
  { before, after }: Change,
  ...types: Type[]
): { old?: OtherAccess; wanted?: OtherAccess }[] {
  const named = ({ otherAccess = [] }: Change['before']) =>
    new Map(
      otherAccess.flatMap((one) =>
        types.some((type) => type === one.identity?.type) ? [[one.name, one]] : [],
      ),
    );
  const [was, is] = [named(before), named(after)];
  return bothKeys(was, is).map((name) => {
    const [old, wanted] = [was.get(name), is.get(name)];
    return { ...(old && { old }), ...(wanted && { wanted }) };
  });
}

/** Rules over what other auth methods have. */
export const otherMethodRules: ChangeRule[] = [
  {
    id: 'guard-removed',
    severity: 'error',
    about: 'Multi-factor enforcement, a governing policy or a quota that is removed.',
    check: (change) =>
      changedOf(change, 'guard').flatMap(({ old, wanted }) =>
        old === undefined || wanted !== undefined
          ? []
          : {
              subject: { type: 'other' as const, name: old.name },
              message: 'It blocked requests that policies allow, and is removed.',
              fix: 'Keep it until a replacement is in place, or check that this is intended.',
            },
      ),
  },
  {
    id: 'credential-made',
    severity: 'warning',
    about: 'A secret id or token that a plan creates and its state keeps.',
    check: (change) =>
      changedOf(change, 'secretId', 'token').flatMap(({ old, wanted }) =>
        old !== undefined || wanted === undefined
          ? []
          : {
              subject: { type: 'other' as const, name: wanted.name },
              message: 'The plan creates a credential. Everyone who can read the state can sign in with it.',
              fix: 'Let the workload fetch its own wrapped credential, or protect the state as well as what it opens.',
            },
      ),
  },
];
