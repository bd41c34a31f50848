import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type DevConfig, EnvironmentUnderTest } from '../harness/environment-under-test.ts';
import { describeOnEmbeddedService } from '../harness/two-servers.ts';

describeOnEmbeddedService('a stack that no service could take', (service) => {
  let environment: EnvironmentUnderTest;
  beforeAll(async () => {
    environment = await EnvironmentUnderTest.start(service());
  });
  afterAll(() => environment.close());

  test.each<[string, (config: DevConfig) => void]>([
    [
      'two claims with one name',
      (config) => {
        config['providers'][0].roles[0].claimMappings = { email: 'user', upn: 'user' };
      },
    ],
    [
      'a boolean among globs',
      (config) => {
        Object.assign(config['providers'][0].roles[0], { boundClaims: { a: true }, boundClaimsType: 'glob' });
      },
    ],
    [
      'groups in a circle',
      (config) => {
        config['groups'] = [
          { name: 'a', members: ['b'] },
          { name: 'b', members: ['a'] },
        ];
      },
    ],
  ])('is refused before anything is made: %s', async (_, change) => {
    const before = await environment.live();
    const stack = environment.stack(change);
    for (const verb of ['preview', 'up'] as const) {
      const { succeeded, diagnostics } = await environment.run(verb, stack);
      expect(succeeded).toBe(false);
      expect(diagnostics[0]?.message).toContain('the configuration has');
    }
    expect(await environment.live()).toEqual(before);
  });

  test('an application to make in a directory without a plugin for it: the preview says so', async () => {
    const stack = environment.stack((config) => {
      const [staff] = config['providers'];
      delete staff.clientId;
      delete config['clientSecrets'].staff;
      staff.application = { displayName: 'Secrets' };
    });
    const { succeeded, diagnostics } = await environment.run('preview', stack);
    expect(succeeded).toBe(false);
    expect(diagnostics).toContainEqual(
      expect.objectContaining({
        code: 'engine_plugin_missing',
        urn: expect.stringMatching(/azuread:index\/application:Application::staff-application$/),
        message: expect.stringMatching(/package azuread.*--engine pulumi/s),
      }),
    );
  });
});
