import { cloudDirectory } from '../model/kinds/cloud-directory.ts';
import { rolesOf } from '../model/parts-by-name.ts';
import { methodSubject } from '../model/subject.ts';
import { limits } from '../model/values/limits.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'directory-many-groups',
  // The specification's own first step is without it, so no more than a word.
  severity: 'info',
  about: 'Cloud directory: groups are read from tokens, which hold 200 at most.',
  check: ({ methods, roles }, { kindOf }) =>
    methods
      .filter(
        ({ path, config }) => kindOf(path) === cloudDirectory.kind && config.providerConfig === undefined,
      )
      .filter(({ path }) => rolesOf(roles, path).some(({ groupsClaim }) => groupsClaim))
      .map((method) => ({
        subject: methodSubject(method, 'providerConfig'),
        message: `A token names no groups of a person who is in more than ${limits.cloudDirectoryGroups}: such a person cannot sign in.`,
        fix: 'Where that can happen, set manyGroups: true, and grant the directory read-all permission of the graph API, as a delegated one.',
      })),
};
