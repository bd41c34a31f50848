import { isWriting } from '../access/path-decision.ts';
import { openToProvider } from '../access/sign-in/public-issuers.ts';
import { roleSubject } from '../model/subject.ts';
import type { ChangeRule } from './rule.ts';

export const rule: ChangeRule = {
  id: 'everyone-gains',
  severity: 'error',
  about: 'A policy that allows more than reading, and that everyone who can use the method gets.',
  check: ({ before, after }, { access }) =>
    access.changes.flatMap(({ way, paths, policies, unread }) => {
      const role = after.roles.find(({ method, name }) => method === way.method && name === way.name);
      const method = after.methods.find(({ path }) => path === way.method);
      // A method that is new is set up: what its roles give is shown as new ways in.
      const isNew = !before.methods.some(({ path }) => path === way.method);
      if (way.kind !== 'role' || role === undefined || isNew || !openToProvider(role, method)) return [];
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
        subject: roleSubject(role, 'policies'),
        message: `The role has no bounds: everyone with an account at the provider behind auth/${role.method} can change things by ${powers.join(', ')}.`,
        fix: 'Give the policy to an external group, or to a role with bounds; or turn the rule off with the reason.',
      };
    }),
};
