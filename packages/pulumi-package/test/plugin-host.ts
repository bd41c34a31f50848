import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { credentials, type ServiceError } from '@grpc/grpc-js';
import errorsPb from '@pulumi/pulumi/proto/errors_pb.js';
import providerGrpc from '@pulumi/pulumi/proto/provider_grpc_pb.js';
import providerPb from '@pulumi/pulumi/proto/provider_pb.js';
import type resourcePb from '@pulumi/pulumi/proto/resource_pb.js';
import statusPb from '@pulumi/pulumi/proto/status_pb.js';
import { root } from '../../../test/harness/environment-under-test.ts';
import { startInstantMonitor } from '../../bench/instant-monitor.ts';
import type { PropertyMap } from '../../engine/src/property-value.ts';
import { fromStruct, toStruct } from '../../engine/src/wire-value.ts';

type Registration = InstanceType<typeof resourcePb.RegisterResourceRequest>;
type ConstructRequest = InstanceType<typeof providerPb.ConstructRequest>;
type ConstructResponse = InstanceType<typeof providerPb.ConstructResponse>;

/** What is registered: each resource by its URN, and the outputs of components. */
export class Registered {
  readonly resources = new Map<string, Registration>();
  readonly outputs = new Map<string, PropertyMap>();

  /**
   * A resource as it was registered, but for where in which program, and options that the SDK's server always writes out.
   */
  of(urn: string) {
    const request = this.resources.get(urn);
    if (request === undefined) throw new Error(`${urn} was not registered`);
    const { object: _, sourceposition, stacktrace, protect, retainondelete, ...same } = request.toObject();
    return { ...same, inputs: fromStruct(request.getObject()), outputs: this.outputs.get(urn) };
  }

  /** The URNs of a component and of what is in it. */
  below(urn: string): string[] {
    const children = [...this.resources].filter(([, request]) => request.getParent() === urn);
    return [urn, ...children.flatMap(([child]) => this.below(child))].sort();
  }
}

/** What a component is asked for by. */
export interface Asked {
  type: string;
  name: string;
  inputs: PropertyMap;
  adapt?: (request: ConstructRequest) => void;
}

/** The package's plugin in a process, started as Pulumi's language host does, and a monitor for it. */
export interface PluginHost extends AsyncDisposable {
  registered: Registered;
  /** What it printed besides its port. */
  printed: string[];
  schema(): Promise<string>;
  info(): Promise<string>;
  construct(asked: Asked): Promise<{ urn: string; state: PropertyMap; response: ConstructResponse }>;
}

/** @throws Error with what the plugin printed, if it does not start */
export async function startPluginHost(folder = join(root, 'packages/pulumi-package')): Promise<PluginHost> {
  const runPlugin = createRequire(join(folder, 'package.json')).resolve(
    '@pulumi/pulumi/cmd/run-plugin/index.js',
  );
  const registered = new Registered();
  const monitor = await startInstantMonitor({
    outputValues: true,
    onRegistration: (urn, request) => registered.resources.set(urn, request),
    onOutputs: (request) => registered.outputs.set(request.getUrn(), fromStruct(request.getOutputs())),
  });
  const child = spawn(process.execPath, ['--stack-trace-limit=1', runPlugin, folder, monitor.address], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed: string[] = [];
  const port = await firstLine(child, printed).catch((error) => {
    monitor.close();
    throw error;
  });
  const client = new providerGrpc.ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
  const ask = <R>(call: (respond: (error: ServiceError | null, response: R) => void) => unknown) =>
    new Promise<R>((resolve, reject) => {
      call((error, response) => (error === null ? resolve(response) : reject(withFailures(error))));
    });
  return {
    registered,
    printed,
    schema: async () =>
      (
        await ask<InstanceType<typeof providerPb.GetSchemaResponse>>((respond) =>
          client.getSchema(new providerPb.GetSchemaRequest(), respond),
        )
      ).getSchema(),
    info: async () => {
      const { default: empty } = await import('google-protobuf/google/protobuf/empty_pb.js');
      return (
        await ask<{ getVersion(): string }>((respond) => client.getPluginInfo(new empty.Empty(), respond))
      ).getVersion();
    },
    construct: async (asked) => {
      const response = await ask<ConstructResponse>((respond) =>
        client.construct(requestOf(asked, monitor.address), respond),
      );
      return { urn: response.getUrn(), state: fromStruct(response.getState()), response };
    },
    async [Symbol.asyncDispose]() {
      client.close();
      const ended = child.exitCode !== null || child.signalCode !== null || once(child, 'close');
      child.kill();
      await ended;
      monitor.close();
    },
  };
}

/** An error with what is wrong with which input in its message, as the engine prints it. */
function withFailures(error: ServiceError): Error {
  const [details] = error.metadata.get('grpc-status-details-bin');
  if (!Buffer.isBuffer(details)) return error;
  const failures = statusPb.Status.deserializeBinary(details)
    .getDetailsList()
    .flatMap((any) => {
      const read = errorsPb.InputPropertiesError.deserializeBinary(any.getValue_asU8());
      return read.getErrorsList().map((one) => `${one.getPropertyPath()}: ${one.getReason()}`);
    });
  return new Error([error.details, ...failures].join('\n'));
}

/** The stack below which components are made. */
const stackUrn = 'urn:pulumi:bench::gatehouse::pulumi:pulumi:Stack::gatehouse-bench';

function requestOf({ type, name, inputs, adapt }: Asked, monitor: string): ConstructRequest {
  const request = new providerPb.ConstructRequest()
    .setProject('gatehouse')
    .setStack('bench')
    .setOrganization('organization')
    .setParallel(16)
    .setDryrun(true)
    .setMonitorendpoint(monitor)
    .setType(type)
    .setName(name)
    .setParent(stackUrn)
    .setAcceptsOutputValues(true)
    .setInputs(toStruct(inputs, { keepSecrets: true, keepResources: true }));
  adapt?.(request);
  return request;
}

/** The first line that a process prints; what it prints else goes to `printed`. */
async function firstLine(child: ChildProcess, printed: string[]): Promise<string> {
  child.stderr?.setEncoding('utf8').on('data', (text: string) => printed.push(text));
  const lines = createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> });
  return new Promise((resolve, reject) => {
    lines.once('line', (line) => {
      lines.on('line', (line) => printed.push(line));
      resolve(line);
    });
    child.once('error', reject);
    child.once('close', (code) =>
      reject(new Error(`the plugin ended with ${code} before it printed its port:\n${printed.join('\n')}`)),
    );
  });
}
