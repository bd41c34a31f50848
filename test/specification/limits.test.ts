import { describe, expect, test } from '@jest/globals';
import { redirectUris } from '../../core/model/redirect-uris.ts';
import { limits } from '../../core/model/values/limits.ts';
import {
  givenEnvironment,
  givenProvider,
  parsedProvider,
  problemsOf,
} from '../core/model/environment-fixture.ts';

const messages = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    title: `Message ${index}`,
    message: 'text',
    startTime: '2026-12-01T00:00:00Z',
  }));
const cluster = (tokenExpirationSeconds: number) =>
  givenEnvironment([givenProvider('container_orchestrator', { cluster: { tokenExpirationSeconds } })]);

describe('Limits', () => {
  test('Limits, custom messages per namespace: 100 are allowed', () => {
    expect(limits.customMessagesPerNamespace).toBe(100);
    expect(problemsOf(givenEnvironment([], { messages: messages(100) }))).toEqual([]);
  });

  test('Limits, minimum expiration of a mounted service account token: 600 seconds', () => {
    expect(limits.serviceAccountTokenSeconds).toBe(600);
    expect(problemsOf(cluster(600))).toEqual([]);
    expect(problemsOf(cluster(599))).toHaveLength(1);
  });

  test('Limits, group count that needs extra configuration: more than 200', () => {
    expect(limits.cloudDirectoryGroups).toBe(200);
    expect(parsedProvider('cloud_directory').manyGroups).toBe(false);
  });

  test('Limits, groups_recurse_max_depth: default 0, no recursion', () => {
    const directory = { serviceAccountFile: '/key.json', adminImpersonate: 'admin@example.com' };
    expect(limits.groupsRecurseMaxDepth).toBe(0);
    expect(parsedProvider('workspace_suite', { directory }).directory?.groupsRecurseMaxDepth).toBe(0);
  });

  test('Limits, local CLI redirect port: 8250', () => {
    expect(limits.cliRedirectPort).toBe(8250);
    const [cli] = redirectUris({ address: 'https://secrets.example.com', dialect: 'neutral' }, 'oidc');
    expect(new URL(cli ?? '').port).toBe('8250');
  });
});
