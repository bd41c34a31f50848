import { describe, expect, test } from '@jest/globals';
import { isSubjectNamed, type Subject, subjectName } from '../../src/graph/subject.ts';

const role: Subject = { type: 'role', name: 'web', method: 'cluster' };

describe('a subject is read as it is written', () => {
  test.each<[string, Subject]>([
    ['role cluster/web', role],
    ['policy deploy', { type: 'policy', name: 'deploy' }],
    ['method staff/eu', { type: 'method', name: 'staff/eu' }],
    ['role teams/a/cluster/web', { ...role, namespace: 'teams/a' }],
    ['policy teams/a/deploy', { type: 'policy', name: 'deploy', namespace: 'teams/a' }],
    ['group "on call"', { type: 'group', name: 'on call' }],
    ['alias "staff/on call "', { type: 'alias', name: 'on call ', method: 'staff' }],
    ['role app of k8s (kubernetes)', { type: 'other', name: 'role app of k8s (kubernetes)' }],
  ])('%s', (text, subject) => {
    expect(subjectName(subject)).toBe(text);
    expect(isSubjectNamed(subject, text.toUpperCase())).toBe(true);
  });

  test('a name of several words needs no quotes', () => {
    expect(isSubjectNamed({ type: 'alias', name: 'on call', method: 'staff' }, 'alias staff/on call')).toBe(
      true,
    );
  });

  test.each<[string, Subject]>([
    ['role web', role],
    ['role other/web', role],
    ['policy cluster/web', role],
    ['policy deploy', { type: 'policy', name: 'deploy', namespace: 'a' }],
    ['group on call', { type: 'group', name: 'on call ' }],
    ['group "on call"', { type: 'group', name: '"on call"' }],
  ])('%s is another one', (text, subject) => {
    expect(isSubjectNamed(subject, text)).toBe(false);
  });
});
