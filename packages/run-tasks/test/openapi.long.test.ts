import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { startEmbeddedService } from '../../../test/harness/embedded-service.ts';
import { EnvironmentUnderTest } from '../../../test/harness/environment-under-test.ts';
import { pythonPackage, runPython } from '../../../test/harness/python-package.ts';
import { started } from '../../../test/harness/started.ts';
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts';
import { until } from '../../../test/harness/until.ts';
import { serve } from '../../cli/src/serve/serve.ts';

const folder = await pythonPackage('schemathesis');
const home = temporaryFolder();

const program = `
import json, subprocess, sys
folder, *given = json.load(sys.stdin)
# It keeps a cache in the folder that it runs in.
done = subprocess.run([sys.executable, '-m', 'schemathesis.cli', *given], cwd=folder, capture_output=True, text=True)
json.dump({'code': done.returncode, 'output': done.stdout + done.stderr}, sys.stdout)
`;

/** A run that has ended. */
let run: string;
const service = started(startEmbeddedService, 60_000);
const environment = started(() => EnvironmentUnderTest.start(service()), 60_000);
const served = started(
  async () =>
    serve({
      directory: await environment().writeProject(),
      home,
      port: 0,
      host: '127.0.0.1',
      version: '1.2.3',
      env: { ...environment().env, VAULT_ADDR: service().address },
      // Without a key, so that payloads are read.
      endpoints: [{ name: 'review', keys: [], stack: 'dev' }],
      logTo: { write: () => {} },
    }),
  60_000,
);
beforeAll(async () => {
  const headers = { authorization: `Bearer ${service().token}` };
  const body = JSON.stringify({ stack: 'dev', speculative: true });
  const answered = await fetch(`${served().address}/runs`, { method: 'POST', headers, body });
  run = ((await answered.json()) as { id: string }).id;
  await until(async () => {
    const answer = await fetch(`${served().address}/runs/${run}`, { headers });
    return ((await answer.json()) as { endedAt: string | null }).endedAt !== null;
  });
}, 60_000);

const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'ignored_auth',
  'response_schema_conformance',
  'negative_data_rejection',
  'unsupported_method',
];

const testWithSchemathesis = folder === undefined ? test.skip : test;
testWithSchemathesis.each([
  ['ids of its choice', () => ({})],
  ['those of a run and an endpoint', () => ({ id: run, run, endpoint: 'review' })],
])(
  'answers as its OpenAPI document says, asked by schemathesis with %s',
  async (_, ids) => {
    const config = join(home, 'schemathesis.toml');
    const parameters = Object.entries(ids()).map(([name, id]) => `"path.${name}" = "${id}"\n`);
    writeFileSync(config, ['[parameters]\n', ...parameters].join(''));
    const given = [
      home,
      '--config-file',
      config,
      'run',
      `${served().address}/openapi.json`,
      '--header',
      `Authorization: Bearer ${service().token}`,
      '--checks',
      checks.join(),
      '--generation-deterministic',
      '--max-examples',
      '15',
      '--phases',
      'examples,coverage,fuzzing',
      // Of a run that has not ended, it does not end either.
      '--exclude-path-regex',
      '/events$',
      '--no-color',
    ];
    const { code, output } = await runPython(folder, program, given);
    expect(code === 0 ? '' : output).toBe('');
  },
  300_000,
);
