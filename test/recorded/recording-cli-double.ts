import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { recordings, runs } from '../../scripts/recording/runs.ts';

/**
 * A double of the Pulumi CLI: a program called `pulumi` that says, run by run, what the recordings say, with the
 * folders and addresses of this machine in it, as a CLI would. Of the resources it makes the one that is changed by
 * hand later.
 */
export async function installRecordingCliDouble(
  options: { failsAt?: string } = {},
): Promise<NodeJS.ProcessEnv> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-recording-double-'));
  // What was not recorded is like the last run.
  const answers = runs.map(({ recording }) => recording ?? recordings.at(-1));
  const first = runs.findIndex(({ verb }) => verb === 'up');
  const program = `#!${process.execPath}
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs');
const { homedir } = require('node:os');
const { join } = require('node:path');
const { gunzipSync } = require('node:zlib');

const recorded = ${JSON.stringify(import.meta.dirname)};
const count = ${JSON.stringify(join(folder, 'count'))};
const [verb, sub] = process.argv.slice(2);
const { GATEHOUSE_SERVICE_ADDRESS, GATEHOUSE_IDENTITY_ADDRESS, PULUMI_DEBUG_GRPC, PULUMI_DEBUG_PROVIDERS } = process.env;
const text = (file) => gunzipSync(readFileSync(join(recorded, file + '.gz'))).toString()
  .replaceAll('/project', process.cwd())
  .replaceAll('http://127.0.0.1:18900', GATEHOUSE_SERVICE_ADDRESS)
  .replaceAll('http://127.0.0.1:18960', GATEHOUSE_IDENTITY_ADDRESS);
const place = { uri: 'file://' + process.cwd() + '/main.mjs', line: 1 };

async function makeMount() {
  const { GrpcPlugin } = await import(${JSON.stringify(join(import.meta.dirname, '../harness/grpc-plugin.ts'))});
  const plugin = await GrpcPlugin.attach(Number(PULUMI_DEBUG_PROVIDERS.split(':')[1]));
  await plugin.configure({ inputs: { address: GATEHOUSE_SERVICE_ADDRESS } });
  const urn = 'urn:pulumi:dev::gatehouse::vault:jwt/authBackend:AuthBackend::cluster-mount';
  const oidcDiscoveryUrl = GATEHOUSE_IDENTITY_ADDRESS + '/container-orchestrator';
  const properties = { path: 'cluster', type: 'jwt', oidcDiscoveryUrl };
  await plugin.create({ urn, properties, preview: false, timeout: 0 });
  await plugin.close();
}

if (verb === 'stack' && sub === 'export') {
  const state = JSON.parse(text('after-remount.state.json'));
  for (const resource of state.deployment.resources) Object.assign(resource, { sourcePosition: place.uri, stackTrace: [place] });
  process.stdout.write(JSON.stringify(state, undefined, 4));
} else if (['preview', 'up', 'refresh', 'destroy'].includes(verb)) {
  const before = existsSync(count) ? readFileSync(count).length : 0;
  appendFileSync(count, '.');
  const recording = ${JSON.stringify(answers)}[before];
  if (recording === ${JSON.stringify(options.failsAt ?? '')}) {
    process.stderr.write('error: the backend is gone');
    process.exit(255);
  }
  process.stdout.write('Running ' + verb + ' (dev)\\n' + text(recording + '.stream.jsonl'));
  const begun = new Map();
  const calls = existsSync(join(recorded, recording + '.grpc.jsonl.gz')) ? recording : 'up-create';
  const log = [{ method: '/pulumirpc.LanguageRuntime/Run', request: { pwd: process.cwd(), config: { a: 'b' } }, progress: 'request_started' }];
  for (const line of text(calls + '.grpc.jsonl').trim().split('\\n')) {
    const { call, method, request, ...answer } = JSON.parse(line);
    if (method !== undefined) {
      const whole = { ...request, sourcePosition: place, randomSeed: String(call) };
      begun.set(call, { method: '/pulumirpc.' + method, request: whole });
    }
    log.push({ ...begun.get(call), ...answer, metadata: { host: homedir() }, progress: method === undefined ? 'response_completed' : 'request_started' });
  }
  if (before === ${first}) void makeMount();
  writeFileSync(PULUMI_DEBUG_GRPC, log.map((entry) => JSON.stringify(entry) + '\\n').join(''));
}
`;
  await writeFile(join(folder, 'pulumi'), program);
  await chmod(join(folder, 'pulumi'), 0o755);
  return { ...process.env, PATH: [folder, process.env['PATH']].join(delimiter) };
}
