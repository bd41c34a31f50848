import { roleNamed } from '../model/parts-by-name.ts';
import { roleSubject } from '../model/subject.ts';
import { uriOf } from './redirect-uri.ts';
import type { ChangeRule } from './rule.ts';

export const rule: ChangeRule = {
  id: 'redirect-host-added',
  severity: 'warning',
  about: 'A redirect URI on a host that the role did not allow before.',
  check: ({ before, after }) =>
    after.roles.flatMap((role) => {
      const was = roleNamed(before.roles, role);
      if (was === undefined) return [];
      const hosts = (uris: string[] = []) => new Set(uris.flatMap((uri) => uriOf(uri)?.host ?? []));
      const known = hosts(was.allowedRedirectUris);
      return [...hosts(role.allowedRedirectUris)]
        .filter((host) => !known.has(host))
        .map((host) => ({
          subject: roleSubject(role, 'allowedRedirectUris'),
          message: `Sign-ins may now redirect to ${host}: whoever runs it gets their codes.`,
          fix: 'Check that it is yours, and that it is registered at the provider.',
        }));
    }),
};
