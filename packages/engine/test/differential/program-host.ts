import { credentials, Server, type ServiceError } from '@grpc/grpc-js';
import alias from '@pulumi/pulumi/proto/alias_pb.js';
import languageGrpc from '@pulumi/pulumi/proto/language_grpc_pb.js';
import language from '@pulumi/pulumi/proto/language_pb.js';
import plugin from '@pulumi/pulumi/proto/plugin_pb.js';
import resourceGrpc from '@pulumi/pulumi/proto/resource_grpc_pb.js';
import resource from '@pulumi/pulumi/proto/resource_pb.js';
import { channelOptions, type Handlers, listen, unary } from '../../src/grpc-server.ts';
import type { Goal, Registered } from '../../src/local/goal.ts';
import { fromStruct, toStruct } from '../../src/wire-value.ts';

/** A program without a process of its own: it registers with the monitor at an address. Resolves to whether it succeeded. */
export type Program = (monitor: string) => Promise<boolean>;

/** The language host of such programs, for a CLI with `PULUMI_DEBUG_LANGUAGES=nodejs:<port>`. */
export interface ProgramHost {
  port: number;
  /** What the CLI runs next. */
  program: Program;
  close(): void;
}

export async function startProgramHost(): Promise<ProgramHost> {
  const server = new Server(channelOptions);
  const handlers: Partial<Handlers<languageGrpc.ILanguageRuntimeServer>> = {
    handshake: unary(() => new language.LanguageHandshakeResponse()),
    getPluginInfo: unary(() => new plugin.PluginInfo().setVersion('0.0.0')),
    getRequiredPackages: unary(() => new language.GetRequiredPackagesResponse()),
    getProgramDependencies: unary(() => new language.GetProgramDependenciesResponse()),
    run: unary(async (request) =>
      new language.RunResponse().setBail(!(await host.program(request.getMonitorAddress()))),
    ),
  };
  server.addService(languageGrpc.LanguageRuntimeService, handlers as languageGrpc.ILanguageRuntimeServer);
  const host: ProgramHost = {
    port: await listen(server),
    program: async () => true,
    close: () => server.forceShutdown(),
  };
  return host;
}

/** Registers with an engine's monitor; undefined once nothing new may start. */
export type Register = (goal: Goal) => Promise<Registered | undefined>;

/** A program that registers as it is told to. */
export function registering(work: (register: Register) => Promise<unknown>): Program {
  return async (address) => {
    const client = new resourceGrpc.ResourceMonitorClient(address, credentials.createInsecure());
    let succeeded = true;
    try {
      await work(async (goal) => {
        try {
          const answer = await registered(client, goal);
          if (answer.result !== 'done') succeeded = false;
          return answer;
        } catch {
          succeeded = false;
          return undefined;
        }
      });
      return succeeded;
    } finally {
      client.close();
    }
  };
}

function registered(client: resourceGrpc.ResourceMonitorClient, goal: Goal): Promise<Registered> {
  const message = new resource.RegisterResourceRequest()
    .setType(goal.type)
    .setName(goal.name)
    .setCustom(goal.custom)
    .setObject(toStruct(goal.inputs, { keepSecrets: true }))
    .setParent(goal.parent ?? '')
    .setVersion(goal.version ?? '')
    .setDependenciesList(goal.dependencies)
    .setDeletebeforereplace(goal.deleteBeforeReplace ?? false)
    .setDeletebeforereplacedefined(goal.deleteBeforeReplace !== undefined)
    .setAliasesList(goal.aliases.map((each) => new alias.Alias().setUrn('urn' in each ? each.urn : '')))
    .setAliasspecs(true)
    .setAcceptsecrets(true)
    .setSupportspartialvalues(true)
    .setSupportsresultreporting(true);
  if (goal.protect !== undefined) message.setProtect(goal.protect);
  for (const [name, urns] of Object.entries(goal.propertyDependencies)) {
    const dependencies = new resource.RegisterResourceRequest.PropertyDependencies().setUrnsList(urns);
    message.getPropertydependenciesMap().set(name, dependencies);
  }
  return new Promise((resolve, reject) => {
    client.registerResource(message, (error: ServiceError | null, answer) => {
      if (error !== null) reject(error);
      else {
        resolve({
          urn: answer.getUrn(),
          id: answer.getId() || undefined,
          outputs: fromStruct(answer.getObject()),
          result: answer.getResult() === resource.Result.SUCCESS ? 'done' : 'failed',
        });
      }
    });
  });
}
