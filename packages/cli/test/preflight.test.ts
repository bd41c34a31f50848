import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { appliedEnvironmentFor, root } from '../../../test/harness/environment-under-test.ts';
import { describeOnEmbeddedService } from '../../../test/harness/two-servers.ts';
import {
  type EmbeddedIdentityProvider,
  startIdentity,
} from '../../secrets-service/src/identity-provider/identity.ts';
import { clientsOf, declaredBy } from '../src/dev/provider-clients.ts';
import { runCommand } from './running-command.ts';

describeOnEmbeddedService('a provider that knows another secret and fewer redirect URIs', (service) => {
  let changed: EmbeddedIdentityProvider;
  const removed = 'http://localhost:8250/oidc/callback';

  const gatehouse = (...argv: string[]) => {
    const elsewhere = {
      GATEHOUSE_IDENTITY_ADDRESS: changed.address,
      GATEHOUSE_HOME: environment().stack().home,
    };
    return runCommand(argv, { ...environment().env, ...elsewhere }, root);
  };

  const environment = appliedEnvironmentFor(service);
  beforeAll(async () => {
    const stack = environment().stack();
    const {
      cloud_directory = [],
      hosted_identity_platform = [],
      ...rest
    } = clientsOf(declaredBy(stack, environment().env), stack);
    changed = await startIdentity({
      clients: {
        ...rest,
        cloud_directory: cloud_directory.map((one) => ({ ...one, clientSecret: 'rotated at the provider' })),
        hosted_identity_platform: hosted_identity_platform.map((one) => ({
          ...one,
          redirectUris: one.redirectUris.filter((uri) => uri !== removed),
        })),
      },
    });
  });
  afterAll(async () => {
    await changed.close();
  });

  const says = (text: string) => {
    expect(text).toMatch(
      /method staff\n(?: {2}.*\n)* {2}failed {2}its client secret: the provider refuses the client with it/,
    );
    expect(text).toMatch(
      /role partners\/partner\n(?: {2}.*\n)* {2}failed {2}its registration at the provider, for http:\/\/localhost:8250/,
    );
    expect(text.match(/ {2}failed {2}/g)).toHaveLength(2);
  };

  test('verify exits with 2, and names the method and the role', async () => {
    const { code, out } = await gatehouse('verify', '-s', 'dev');
    expect(code).toBe(2);
    says(out);
  });

  test('up --preflight exits with 2 and changes nothing', async () => {
    const before = await environment().live();
    const { code, err } = await gatehouse('up', '-s', 'dev', '--preflight', '--yes');
    expect(code).toBe(2);
    says(err);
    expect(err).toContain('nothing was changed');
    expect(await environment().live()).toEqual(before);
  });

  test('drift --preflight says it next to what differs', async () => {
    const { code, out } = await gatehouse('drift', '-s', 'dev', '--preflight');
    expect(code).toBe(2);
    says(out);
  });
});
