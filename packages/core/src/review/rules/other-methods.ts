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
): { partBefore?: OtherAccess; partAfter?: OtherAccess }[] {
  const named = ({ otherAccess = [] }: Change['before']) =>
    new Map(
      otherAccess.flatMap((part) =>
        types.some((type) => type === part.identity?.type) ? [[part.name, part]] : [],
      ),
    );
  const partsBefore = named(before);
  const partsAfter = named(after);
  return bothKeys(partsBefore, partsAfter).map((name) => {
    const partBefore = partsBefore.get(name);
    const partAfter = partsAfter.get(name);
    return { ...(partBefore && { partBefore }), ...(partAfter && { partAfter }) };
  });
}

/** Rules over what other auth methods have. */
export const otherMethodRules: ChangeRule[] = [
  {
    id: 'guard-removed',
    severity: 'error',
    about: 'Multi-factor enforcement, a governing policy or a quota that is removed.',
    check: (change) =>
      changedOf(change, 'guard').flatMap(({ partBefore, partAfter }) =>
        partBefore === undefined || partAfter !== undefined
          ? []
          : {
              subject: { type: 'other' as const, name: partBefore.name },
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
      changedOf(change, 'secretId', 'token').flatMap(({ partBefore, partAfter }) =>
        partBefore !== undefined || partAfter === undefined
          ? []
          : {
              subject: { type: 'other' as const, name: partAfter.name },
              message: 'The plan creates a credential. Everyone who can read the state can sign in with it.',
              fix: 'Let the workload fetch its own wrapped credential, or protect the state as well as what it opens.',
            },
      ),
  },
];
