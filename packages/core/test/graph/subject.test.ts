import { describe, expect, test } from '@jest/globals';
import { isSubjectNamed, type Subject, subjectName, subjectText } from '../../src/graph/subject.ts';

const role: Subject = { type: 'role', name: 'web', method: 'cluster' };

describe('a subject is read in each form in which it is printed', () => {
  const plain = (subject: Subject) => subjectText(subject, (name) => name);
  test.each<Subject>([
    role,
    { type: 'policy', name: 'deploy' },
    { type: 'method', name: 'staff/eu' },
    { ...role, namespace: 'teams/a' },
    { type: 'policy', name: 'deploy', namespace: 'teams/a' },
  ])('$type $name of $method in $namespace', (subject) => {
    const printed = [subjectName(subject), subjectText(subject), plain(subject)];
    const { name, method, namespace } = subject;
    if (method !== undefined) {
      const within = namespace === undefined ? '' : ` in namespace ${JSON.stringify(namespace)}`;
      printed.push(`role ${name} (auth/${method})${within}`);
    }
    for (const text of printed)
      expect([text, isSubjectNamed(subject, text.toUpperCase())]).toEqual([text, true]);
  });

  test.each([
    ['role web', role],
    ['role other/web', role],
    ['policy cluster/web', role],
    ['role web of auth/other', role],
    ['policy deploy', { type: 'policy', name: 'deploy', namespace: 'a' } as const],
  ])('%s is another one', (text, subject) => {
    expect(isSubjectNamed(subject, text)).toBe(false);
  });

  test('a name that looks like a place is not read as one', () => {
    expect(isSubjectNamed({ type: 'policy', name: 'a in namespace b' }, 'policy a in namespace b')).toBe(
      true,
    );
    const lookalike: Subject = { type: 'group', name: 'a of auth/b' };
    expect(isSubjectNamed({ type: 'group', name: 'a', method: 'b' }, 'group "a of auth/b"')).toBe(false);
    expect(isSubjectNamed({ ...lookalike, method: 'c' }, 'group a of auth/b of auth/c')).toBe(false);
  });
});
