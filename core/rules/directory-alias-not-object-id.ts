import { cloudDirectory } from '../model/kinds/cloud-directory.ts';
import { aliasSubject } from '../model/subject.ts';
import { uuid } from '../model/values/uuid.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'directory-alias-not-object-id',
  severity: 'error',
  about: 'Cloud directory: a group alias that is not the object id of a group.',
  check: ({ aliases }, { kindOf }) =>
    aliases
      .filter(({ method, name }) => {
        const isObjectId = uuid.test(name);
        return kindOf(method) === cloudDirectory.kind && !isObjectId;
      })
      .map((alias) => ({
        subject: aliasSubject(alias),
        message:
          'The directory’s tokens name groups by object id, and this is not one: nobody becomes a member.',
        fix: 'Use the group’s object id as the directory shows it.',
      })),
};
