import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { LocalEngine } from '../../packages/engine/src/local/local-engine.ts';
import { readStack } from '../../packages/engine/src/stack-files/read-stack.ts';
import { passphrase, root } from '../harness/environment-under-test.ts';
import { describeWithOpenBao } from '../harness/openbao.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const env = { PULUMI_CONFIG_PASSPHRASE: passphrase };
const components = join(root, 'examples/components');

describeWithOpenBao('examples/components', (service) => {
  test('previews with its own stack file, and creates what its program names', async () => {
    const stack = { ...(await readStack(components, 'example', env)), home: temporaryFolder() };
    stack.config.set('sign-in:address', { value: service().address, secret: false });
    const engine = new LocalEngine({ env: { ...process.env, ...env, VAULT_TOKEN: service().token } });
    const { succeeded, steps, diagnostics } = await engine.run({
      verb: 'preview',
      stack,
      dryRun: true,
      refresh: false,
      targets: [],
    });
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(succeeded).toBe(true);
    const created = steps.filter(({ op }) => op === 'create').map(({ urn }) => urn.split('::').at(-1));
    expect(created).toEqual(
      expect.arrayContaining([
        'secrets-read',
        'staff-mount',
        'staff-reader',
        'staff-admins-group',
        'cluster-web',
      ]),
    );
  });
});
