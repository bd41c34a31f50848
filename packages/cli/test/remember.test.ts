import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { environmentFor } from '../../../test/harness/environment-under-test.ts';
import { describeOnEmbeddedService } from '../../../test/harness/two-servers.ts';
import { type Identity, startIdentity } from '../../secrets-service/src/identity-provider/identity.ts';
import { clientsOf, declaredBy } from '../src/dev/provider-clients.ts';
import { runCommand } from './running-command.ts';

describeOnEmbeddedService('a provider whose keys and endpoints change', (service) => {
  let changed: Identity;
  let folder: string;

  const gatehouse = (at: Identity, ...argv: string[]) =>
    runCommand(argv, { ...environment().env, GATEHOUSE_IDENTITY_ADDRESS: at.address }, folder);

  const environment = environmentFor(service);
  beforeAll(async () => {
    const stack = environment().stack();
    expect((await environment().run('up', stack)).succeeded).toBe(true);
    folder = await environment().writeProject();
    // Its issuers have other addresses and keys.
    changed = await startIdentity({ clients: clientsOf(declaredBy(stack, environment().env), stack) });
  });
  afterAll(async () => {
    await changed.close();
  });

  test('verify --remember writes them down, and says so', async () => {
    const { code, out } = await gatehouse(environment().identity, 'verify', '-s', 'dev', '--remember');
    expect(code).toBe(0);
    expect(out).toContain('providers.dev.json has changed. Review and commit it:\n');
    expect(out).toMatch(/auth\/staff {2}key added: kid "[\w-]+", RS256, use sig, thumbprint [\w-]{43}\n/);
    expect(out).toContain('  ok  what it published before: unchanged\n');
    expect(JSON.parse(await readFile(join(folder, 'providers.dev.json'), 'utf8'))).toHaveProperty(
      'staff.keys',
    );
    const again = await gatehouse(environment().identity, 'verify', '-s', 'dev', '--remember', '--json');
    expect(JSON.parse(again.out).remembered).toEqual({
      file: join(folder, 'providers.dev.json'),
      changes: [],
    });
  });

  test.each([
    ['verify', 'out'],
    ['up --preflight --yes', 'err'],
    ['drift --preflight', 'out'],
  ] as const)('%s then exits with 2, and names what changed', async (command, stream) => {
    const [verb = '', ...options] = command.split(' ');
    const answer = await gatehouse(changed, verb, '-s', 'dev', ...options);
    expect(answer.code).toBe(2);
    const text = answer[stream];
    expect(text).toMatch(/failed {2}what it published before: token_endpoint: http\S+ → http\S+\n/);
    expect(text).toMatch(/failed {2}what it published before: key added: kid/);
    expect(text).toMatch(/failed {2}what it published before: key removed: kid/);
  });
});
