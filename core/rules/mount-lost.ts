import { methodSubject } from '../model/subject.ts';
import type { ChangeRule } from './rule.ts';

export const rule: ChangeRule = {
  id: 'mount-lost',
  severity: 'error',
  about: 'A mount that is deleted or replaced while roles or aliases use it.',
  check: ({ before, after, replaced, orphaned = [] }) => {
    const hangs = (path: string, { roles, aliases }: typeof after) => ({
      roles: roles.filter(({ method }) => method === path).length,
      aliases: aliases.filter(({ method }) => method === path).length,
    });
    const made = replaced.map(({ name }) => {
      const { roles, aliases } = hangs(name, before);
      return { path: name, roles, aliases, isDeleted: false, isOrphaning: roles + aliases > 0 };
    });
    const deleted = before.methods
      .filter(({ path }) => !after.methods.some((method) => method.path === path))
      .filter(({ path }) => !made.some((method) => method.path === path))
      .map(({ path }) => {
        const left = hangs(path, after);
        return {
          path,
          ...hangs(path, before),
          isDeleted: true,
          isOrphaning: left.roles + left.aliases > 0 || orphaned.some(({ method }) => method === path),
        };
      });
    return [...made, ...deleted]
      .filter(({ roles, aliases, isOrphaning }) => isOrphaning || roles + aliases > 0)
      .map(({ path, roles, aliases, isDeleted, isOrphaning }) => ({
        subject: methodSubject({ path, type: 'oidc', config: {} }),
        // Gone with all that hangs on it, it is what somebody wanted; what is left hanging is a mistake.
        severity: isOrphaning ? 'error' : 'warning',
        message: `The mount is ${isDeleted ? 'deleted' : 'replaced'}. Its accessor is lost, with everyone’s identity there. Roles on it: ${roles}, group aliases: ${aliases}. All sessions from it end.`,
        fix: isDeleted
          ? 'Keep it until nobody signs in there, or check that this is wanted.'
          : 'Change what can be changed in place: a new path is a move and keeps the accessor, a new type does not.',
      }));
  },
};
