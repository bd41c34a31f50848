import { expect, test } from '@jest/globals';
import { startEmbeddedService } from '../../../../test/harness/embedded-service.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import { serve } from '../../src/serve/serve.ts';

const folder = temporaryFolder({ 'Pulumi.yaml': 'name: gatehouse\nruntime: nodejs\n' });

/** Starts a server whose log does something with each line. */
const started = (home: string, env: NodeJS.ProcessEnv, write: (line: string) => void, watch?: string[]) =>
  serve({
    directory: folder,
    home,
    port: 0,
    host: '127.0.0.1',
    version: '1.2.3',
    env,
    endpoints: [],
    logTo: { write },
    ...(watch && {
      watch: {
        checkout: folder,
        patterns: watch,
        unmanaged: false,
        everySeconds: 60,
        describe: () => ({ summary: '', findings: [], unread: [] }),
      },
    }),
  });

test('a start that fails once it listens leaves nothing open: no port, and no store', async () => {
  const service = await startEmbeddedService();
  const home = temporaryFolder();
  let address = '';
  const failing = started(home, { VAULT_ADDR: service.address }, (line) => {
    const entry: { msg?: string; address?: string } = JSON.parse(line);
    if (entry.msg !== 'serving') return;
    address = entry.address ?? '';
    throw new Error('the disk is full');
  });
  await expect(failing).rejects.toThrow('the disk is full');
  await expect(fetch(address)).rejects.toThrow('fetch failed');
  const again = await started(home, { VAULT_ADDR: service.address }, () => {});
  await again.close();
  await service.close();
});

test('a start that fails before its queue works says why, and not what its end met', async () => {
  const home = temporaryFolder();
  await expect(started(home, {}, () => {}, ['nothing-*'])).rejects.toMatchObject({ code: 'stack_unknown' });
  await (await started(home, {}, () => {})).close();
});
