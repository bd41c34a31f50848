/**
 * Node's language host, which is served as no Go module: what Pulumi's own does for programs, component plugins and policy
 * packs (pulumi/pulumi `sdk/nodejs/cmd/pulumi-language-nodejs/main.go`). The CLI starts it with the engine's address.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Server, type ServerWritableStream } from '@grpc/grpc-js';
import languageGrpc from '@pulumi/pulumi/proto/language_grpc_pb.js';
import language, { type ProgramInfo } from '@pulumi/pulumi/proto/language_pb.js';
import plugin from '@pulumi/pulumi/proto/plugin_pb.js';
import { channelOptions, type Handlers, listen, unary } from '../../../packages/engine/src/grpc-server.ts';

/** The program ended with an error that it has shown. */
const shownError = 32;

let engine = process.argv.at(-1) ?? '';

/** Of the SDK that a program, plugin or pack has itself. */
function executor(name: 'run' | 'run-plugin' | 'run-policy-pack', info: ProgramInfo): string {
  const sdk = createRequire(join(info.getProgramDirectory(), 'package.json'));
  return sdk.resolve(`@pulumi/pulumi/cmd/${name}`);
}

function typescript(info: ProgramInfo): NodeJS.ProcessEnv {
  const isCompiled = info.getOptions()?.toJavaScript()['typescript'] !== false;
  return isCompiled ? { PULUMI_NODEJS_TYPESCRIPT: 'true' } : {};
}

async function run(request: language.RunRequest): Promise<language.RunResponse> {
  const info = request.getInfo() as ProgramInfo;
  const options = {
    monitor: request.getMonitorAddress(),
    engine,
    organization: request.getOrganization(),
    project: request.getProject(),
    'root-directory': info.getRootDirectory(),
    stack: request.getStack(),
    pwd: info.getProgramDirectory(),
    parallel: String(request.getParallel()),
  };
  const args = Object.entries(options).flatMap(([name, value]) => (value === '' ? [] : [`--${name}`, value]));
  if (request.getDryrun()) args.push('--dry-run');
  const child = spawn(process.execPath, [executor('run', info), ...args, info.getEntryPoint()], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      ...typescript(info),
      PULUMI_CONFIG: JSON.stringify(Object.fromEntries(request.getConfigMap().entries())),
      PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
    },
  });
  const [code, signal] = await once(child, 'exit');
  const response = new language.RunResponse();
  if (code === shownError) return response.setBail(true);
  return code === 0
    ? response
    : response.setError(`Program exited with non-zero exit code: ${code ?? signal}`);
}

/** Component plugins, and policy packs: these get their folder last. */
function runPlugin(call: ServerWritableStream<language.RunPluginRequest, language.RunPluginResponse>): void {
  const info = call.request.getInfo() as ProgramInfo;
  const isPack = call.request.getKind() === 'analyzer';
  const args = call.request.getArgsList();
  const folder = info.getProgramDirectory();
  const command = isPack
    ? [executor('run-policy-pack', info), ...args, folder]
    : [executor('run-plugin', info), folder, ...args];
  const env = Object.fromEntries(call.request.getEnvList().map((entry) => entry.split(/=(.*)/s, 2)));
  const child = spawn(process.execPath, command, {
    cwd: isPack ? folder : call.request.getPwd(),
    env: { ...env, ...typescript(info) },
  });
  const tell = (response: language.RunPluginResponse) => call.write(response);
  child.stdout.on('data', (bytes: Buffer) => tell(new language.RunPluginResponse().setStdout(bytes)));
  child.stderr.on('data', (bytes: Buffer) => tell(new language.RunPluginResponse().setStderr(bytes)));
  child.on('close', (code) => {
    tell(new language.RunPluginResponse().setExitcode(code ?? 1));
    call.end();
  });
  call.on('cancelled', () => child.kill());
}

const handlers: Partial<Handlers<languageGrpc.ILanguageRuntimeServer>> = {
  handshake: unary((request) => {
    engine = request.getEngineAddress();
    return new language.LanguageHandshakeResponse();
  }),
  getPluginInfo: unary(() => new plugin.PluginInfo().setVersion('0.0.0')),
  // Each registration names the version that it needs.
  getRequiredPackages: unary(() => new language.GetRequiredPackagesResponse()),
  about: unary(() =>
    new language.AboutResponse().setExecutable(process.execPath).setVersion(process.version),
  ),
  getProgramDependencies: unary(() => new language.GetProgramDependenciesResponse()),
  run: unary(run),
  runPlugin,
};

const server = new Server(channelOptions);
server.addService(languageGrpc.LanguageRuntimeService, handlers);
process.stdout.write(`${await listen(server)}\n`);
// A CLI that is killed ends nothing itself.
const cli = process.ppid;
setInterval(() => process.ppid !== cli && process.exit(), 500);
