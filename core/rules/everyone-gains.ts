import { isWriting } from '../access/administration.ts';
import { openToProvider } from '../access/sign-in/public-issuers.ts';
import { methodAt } from '../model/parts-by-name.ts';
import { roleSubject } from '../model/subject.ts';
import { roleOf } from './access-subject.ts';
import type { ChangeRule } from './rule.ts';

export const rule: ChangeRule = {
  id: 'everyone-gains',
  severity: 'error',
  about: 'A policy that allows more than reading, and that everyone who can use the method gets.',
  check: ({ before, after }, { access }) =>
    access.changes.flatMap((change) => {
      const { principals, paths, policies, unread } = change;
      const found = roleOf(change, after);
      // A method that is new is set up: what its roles give is shown as new ways in.
      const isNew = methodAt(before.methods, principals.method) === undefined;
      if (found === undefined || isNew || !openToProvider(found.role, found.method)) return [];
      const powers = [
        ...paths.flatMap(({ path, gained, limits = [] }) => {
          const freed = limits.flatMap(({ side, capabilities }) => (side === 'gained' ? capabilities : []));
          return [...gained, ...freed].some(isWriting) ? [JSON.stringify(path)] : [];
        }),
        // What nobody can read is told by its name.
        ...policies.gained
          .filter((name) => unread.includes(name) && /admin|root/.test(name))
          .map((name) => `policy ${name}`),
      ];
      if (powers.length === 0) return [];
      return {
        subject: roleSubject(found.role, 'policies'),
        message: `The role has no bounds: everyone with an account at the provider behind auth/${principals.method} can change things by ${powers.join(', ')}.`,
        fix: 'Give the policy to an external group, or to a role with bounds; or turn the rule off with the reason.',
      };
    }),
};
