import { methodSubject } from '../../graph/subject.ts';
import type { ChangeRule } from './rule.ts';

export const mountLost: ChangeRule = {
  id: 'mount-lost',
  severity: 'error',
  about: 'A mount that is deleted or replaced while roles or aliases use it.',
  check: ({ before, after, replaced, orphaned = [] }) => {
    const counted = ({ roles, aliases }: typeof after) => ({
      roles: Map.groupBy(roles, ({ method }) => method),
      aliases: Map.groupBy(aliases, ({ method }) => method),
    });
    const countsBefore = counted(before);
    const countsAfter = counted(after);
    const hangs = (path: string, { roles, aliases }: typeof countsBefore) => ({
      roles: roles.get(path)?.length ?? 0,
      aliases: aliases.get(path)?.length ?? 0,
    });
    const losses = replaced.map(({ name }) => {
      const { roles, aliases } = hangs(name, countsBefore);
      return { path: name, roles, aliases, isDeleted: false, isOrphaning: roles + aliases > 0 };
    });
    const kept = new Set([...after.methods, ...losses].map(({ path }) => path));
    const left = new Set(orphaned.map(({ method }) => method));
    const deleted = before.methods
      .filter(({ path }) => !kept.has(path))
      .map(({ path }) => {
        const still = hangs(path, countsAfter);
        return {
          path,
          ...hangs(path, countsBefore),
          isDeleted: true,
          isOrphaning: still.roles + still.aliases > 0 || left.has(path),
        };
      });
    return [...losses, ...deleted]
      .filter(({ roles, aliases, isOrphaning }) => isOrphaning || roles + aliases > 0)
      .map(({ path, roles, aliases, isDeleted, isOrphaning }) => ({
        subject: methodSubject({ path, type: 'oidc', config: {} }),
        // Gone with all that hangs on it, it was meant to go; what is left hanging is a mistake.
        severity: isOrphaning ? 'error' : 'warning',
        message: `The mount is ${isDeleted ? 'deleted' : 'replaced'} with ${roles} ${roles === 1 ? 'role' : 'roles'} and ${aliases} ${aliases === 1 ? 'group alias' : 'group aliases'}. Its accessor, everyone’s identity there and all its sessions are lost.`,
        fix: isDeleted
          ? 'Keep it until no one signs in there, or check that this is intended.'
          : 'Change it in place: a new path keeps the accessor, a new type does not.',
      }));
  },
};
