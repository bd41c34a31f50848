import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../../../../test/harness/environment-under-test.ts';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';

test('a review of a plan loads no HTTP client, JOSE, YAML or engine, and of zod one language', () => {
  const folder = temporaryFolder({
    'seen.mjs': `
      import { registerHooks } from 'node:module';
      import { writeFileSync } from 'node:fs';
      const urls = new Set();
      registerHooks({ load: (url, context, next) => { urls.add(url); return next(url, context); } });
      process.on('exit', () => writeFileSync(new URL('urls', import.meta.url), [...urls].join('\\n')));
    `,
  });
  const args = [
    '--import',
    join(folder, 'seen.mjs'),
    join(root, 'packages/cli/gatehouse.mjs'),
    'review',
    'examples/plans/opentofu-plan.json',
    '--json',
  ];
  const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  expect(JSON.parse(stdout)).toHaveProperty('findings');
  const loaded = readFileSync(join(folder, 'urls'), 'utf8').split('\n');
  expect(loaded.length).toBeGreaterThan(100);
  const needless =
    /node_modules\/(undici|jose|yaml|@grpc|@pulumi|openid-client|oauth4webapi|pg|fastify)\/|packages\/(service-client|secrets-service|run-tasks)\/|packages\/engine\/src\/(?!urn\.ts)|^node:https?2?$|zod\/v4\/locales\/(?!en\.js)/;
  expect(loaded.filter((url) => needless.test(url))).toEqual([]);
});
