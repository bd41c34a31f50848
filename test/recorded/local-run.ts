import { credentials, type ServiceError } from '@grpc/grpc-js';
import resourceGrpc from '@pulumi/pulumi/proto/resource_grpc_pb.js';
import resourcePb from '@pulumi/pulumi/proto/resource_pb.js';
import structPb from 'google-protobuf/google/protobuf/struct_pb.js';
import type { DeploymentResult } from '../../engine/engine.ts';
import { Deployment } from '../../engine/local/deployment.ts';
import { serveDeployment } from '../../engine/local/deployment-services.ts';
import type { Plugin } from '../../engine/plugins/plugin.ts';
import { VaultPlugin } from '../../engine/plugins/vault/vault-plugin.ts';
import type { PropertyMap } from '../../engine/property-value.ts';
import { toStruct } from '../../engine/wire-value.ts';
import type { MemoryStateStore } from '../engine/local/memory-state-store.ts';
import { stackOf } from '../engine/stack-of.ts';
import type { Call } from './call-order.ts';
import type { Names } from './names.ts';
import { type CallEvent, callEvents, type Json, type JsonObject, type Recording } from './recorded.ts';

export interface LocalRun {
  result: DeploymentResult;
  calls: Call[];
}

interface RunOptions {
  store: MemoryStateStore;
  token: string;
  names: Names;
  dryRun: boolean;
  /** The recording whose program is run again. Defaults to the one itself. */
  said?: Recording;
}

/**
 * What a recording's program said to the engine's monitor, said to the local engine's: each call when everything that
 * had been answered then is answered.
 */
export async function runLocally(
  recording: Recording,
  { store, token, names, dryRun, said = recording }: RunOptions,
): Promise<LocalRun> {
  const calls: Call[] = [];
  const deployment = new Deployment({
    project: 'gatehouse',
    stack: 'dev',
    store,
    plugins: { vault: async () => logged(new VaultPlugin({ VAULT_TOKEN: token }), calls) },
    dryRun,
  });
  const stack = stackOf({ project: 'gatehouse', directory: '/project' });
  const options = { stack, dryRun, parallel: 16, env: {}, verbose: false };
  const services = await serveDeployment(deployment, options);
  try {
    await deployment.resolvePending();
    if (recording.includes('refresh')) {
      await deployment.refresh();
      if (recording === 'refresh-drift') return { result: deployment.result(), calls };
      deployment.report.countAnew();
    }
    if (recording === 'destroy') await deployment.destroy();
    else {
      await sayAgain(callEvents(said), services.address, names);
      await deployment.finish(true);
    }
    return { result: deployment.result(), calls };
  } finally {
    services.close();
    await deployment.close();
  }
}

async function sayAgain(events: CallEvent[], address: string, names: Names): Promise<void> {
  const client = new resourceGrpc.ResourceMonitorClient(address, credentials.createInsecure());
  const answers = new Map<number, Promise<JsonObject>>();
  try {
    for (const { call, method, request, response } of events) {
      const say = sayings[method];
      if (say === undefined) continue;
      if (response === undefined) {
        const answer = say(client, names.renewed(request));
        answer.catch(() => {});
        answers.set(call, answer);
      } else names.learn(response, (await answers.get(call)) ?? null);
    }
  } finally {
    client.close();
  }
}

type Client = InstanceType<typeof resourceGrpc.ResourceMonitorClient>;

const sayings: Record<string, (client: Client, request: JsonObject) => Promise<JsonObject>> = {
  'ResourceMonitor/RegisterResource': async (client, request) => {
    const message = registration(request);
    const answer = await answered<InstanceType<typeof resourcePb.RegisterResourceResponse>>((done) =>
      client.registerResource(message, done),
    );
    if (answer.getResult() !== resourcePb.Result.SUCCESS)
      throw new Error(`${String(request['name'])} failed`);
    return {
      urn: answer.getUrn(),
      ...(answer.getId() !== '' && { id: answer.getId() }),
      object: (answer.getObject()?.toJavaScript() ?? {}) as JsonObject,
    };
  },
  'ResourceMonitor/RegisterResourceOutputs': async (client, { urn, outputs }) => {
    const message = new resourcePb.RegisterResourceOutputsRequest()
      .setUrn(urn as string)
      .setOutputs(structPb.Struct.fromJavaScript((outputs ?? {}) as JsonObject));
    await answered((done) => client.registerResourceOutputs(message, done));
    return {};
  },
};

function answered<T>(call: (done: (error: ServiceError | null, answer: T) => void) => unknown): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, answer) => (error === null ? resolve(answer) : reject(error)));
  });
}

type Registration = InstanceType<typeof resourcePb.RegisterResourceRequest>;

/** How each field of the JSON form is set. What a renewed recording has more must be added. */
const fields: Record<string, (message: Registration, value: any) => unknown> = {
  type: (message, value) => message.setType(value),
  name: (message, value) => message.setName(value),
  parent: (message, value) => message.setParent(value),
  custom: (message, value) => message.setCustom(value),
  object: (message, value) => message.setObject(structPb.Struct.fromJavaScript(value)),
  provider: (message, value) => message.setProvider(value),
  providers: (message, value) => {
    for (const [name, reference] of Object.entries<string>(value))
      message.getProvidersMap().set(name, reference);
  },
  version: (message, value) => message.setVersion(value),
  dependencies: (message, value) => message.setDependenciesList(value),
  propertyDependencies: (message, value) => {
    for (const [name, { urns = [] }] of Object.entries<{ urns?: string[] }>(value)) {
      const dependencies = new resourcePb.RegisterResourceRequest.PropertyDependencies().setUrnsList(urns);
      message.getPropertydependenciesMap().set(name, dependencies);
    }
  },
  deleteBeforeReplace: (message, value) => message.setDeletebeforereplace(value),
  deleteBeforeReplaceDefined: (message, value) => message.setDeletebeforereplacedefined(value),
  additionalSecretOutputs: (message, value) => message.setAdditionalsecretoutputsList(value),
  acceptSecrets: (message, value) => message.setAcceptsecrets(value),
  acceptResources: (message, value) => message.setAcceptresources(value),
  aliasSpecs: (message, value) => message.setAliasspecs(value),
  supportsPartialValues: (message, value) => message.setSupportspartialvalues(value),
  supportsResultReporting: (message, value) => message.setSupportsresultreporting(value),
  customTimeouts: (message) =>
    message.setCustomtimeouts(new resourcePb.RegisterResourceRequest.CustomTimeouts()),
};

function registration(request: JsonObject): Registration {
  const message = new resourcePb.RegisterResourceRequest();
  for (const [name, value] of Object.entries(request)) {
    const set = fields[name];
    if (set === undefined) throw new Error(`a recorded registration has ${name}, which is not said again`);
    set(message, value);
  }
  return message;
}

const methods: Record<string, string> = {
  checkConfig: 'CheckConfig',
  diffConfig: 'DiffConfig',
  configure: 'Configure',
  check: 'Check',
  diff: 'Diff',
  create: 'Create',
  read: 'Read',
  update: 'Update',
  delete: 'Delete',
};

/** A plugin whose calls are noted. */
function logged(plugin: Plugin, calls: Call[]): Plugin {
  return new Proxy(plugin, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      const method = methods[String(name)];
      if (method === undefined) return value.bind(target);
      return async (given: Record<string, unknown>) => {
        const request = method === 'Configure' ? configuration(given) : jsonOf(given);
        const begins = { call: calls.length, method, request, ends: false };
        calls.push(begins);
        try {
          const answer = await value.call(target, given);
          calls.push({ ...begins, ends: true, answer: jsonOf(answer ?? {}) });
          return answer;
        } catch (error) {
          calls.push({ ...begins, ends: true, answer: {} });
          throw error;
        }
      };
    },
  });
}

/** The plugin in the process is not told which provider it is configured for. The program has one. */
function configuration({ inputs }: Record<string, unknown>): JsonObject {
  const urn = 'urn:pulumi:dev::gatehouse::pulumi:providers:vault::service';
  return { urn, ...jsonOf({ args: inputs }) };
}

function jsonOf(given: Record<string, unknown>): JsonObject {
  const entries = Object.entries(given).map(([name, value]): [string, Json] => {
    const isMap =
      typeof value === 'object' && value !== null && !Array.isArray(value) && name !== 'randomSeed';
    return [name, isMap ? (toStruct(value as PropertyMap).toJavaScript() as JsonObject) : (value as Json)];
  });
  return Object.fromEntries(entries);
}
