import { describe, expect, test } from '@jest/globals';
import { serve } from '../../packages/cli/src/serve/serve.ts';
import { started } from '../harness/started.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { codeRows } from './markdown.ts';

describe('the figures of gatehouse serve', () => {
  const home = temporaryFolder();
  const served = started(() =>
    serve({
      directory: home,
      // A platform, too: it starts without an answer from there.
      env: { VAULT_ADDR: 'http://127.0.0.1:1' },
      home,
      endpoints: [{ name: 'review', keys: [] }],
      port: 0,
      host: '127.0.0.1',
      version: '0.0.0',
      logTo: { write: () => {} },
    }),
  );

  test('are those of docs/serve.md, all and no others', async () => {
    const text = await (await fetch(`${served().address}/metrics`)).text();
    const introduced = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name);
    const documented = codeRows('docs/serve.md').map(([code]) => code);
    expect(introduced.length).toBeGreaterThan(9);
    expect(introduced.sort()).toEqual(documented.filter((code) => code.startsWith('gatehouse_')).sort());
  });
});
