import { expect, test } from '@jest/globals';
import { environmentFor } from '../harness/environment-under-test.ts';
import { describeOnEmbeddedService } from '../harness/two-servers.ts';

describeOnEmbeddedService('a stack that no service could take', (service) => {
  const environment = environmentFor(service);

  test('is refused before anything is made', async () => {
    const before = await environment().live();
    const stack = environment().stack((config) => {
      config['groups'] = [
        { name: 'a', members: ['b'] },
        { name: 'b', members: ['a'] },
      ];
    });
    for (const verb of ['preview', 'up'] as const) {
      const { succeeded, diagnostics } = await environment().run(verb, stack);
      expect(succeeded).toBe(false);
      expect(diagnostics[0]?.message).toContain('the configuration has');
    }
    expect(await environment().live()).toEqual(before);
  });

  test('an application to make in a directory without a plugin for it: the preview says so', async () => {
    const stack = environment().stack((config) => {
      const [staff] = config['providers'];
      delete staff.clientId;
      delete config['clientSecrets'].staff;
      staff.application = { displayName: 'Secrets' };
    });
    const { succeeded, diagnostics } = await environment().run('preview', stack);
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
