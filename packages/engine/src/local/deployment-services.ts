import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server, type UntypedServiceImplementation } from '@grpc/grpc-js';
import engineGrpc from '@pulumi/pulumi/proto/engine_grpc_pb.js';
import enginePb from '@pulumi/pulumi/proto/engine_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import type { Diagnostic } from '../engine.ts';
import { channelOptions, type Handlers, listen, listenAtFile, unary } from '../grpc-server.ts';
import type { Deployment } from './deployment.ts';
import { unsupported } from './goal.ts';
import { monitor, monitorService } from './monitor.ts';
import { type ProgramOptions, unsupportedFeature, withoutStackTrace } from './program.ts';

/** The gRPC services of a deployment, for its program and for plugins in other processes. */
export interface DeploymentServices {
  /** `127.0.0.1:<port>`, for plugins and a program that is trusted. */
  address: string;
  /** The address for the program: a socket that is a file if the program is isolated. */
  programAddress: string;
  close(): void;
}

/** Serves a deployment until it is closed. With `verbose`, stack traces and debug messages are kept. */
export async function serveDeployment(
  deployment: Deployment,
  options: ProgramOptions,
): Promise<DeploymentServices> {
  const { stack, verbose, contained } = options;
  const { report } = deployment;
  const log = ({ severity, message, urn }: Diagnostic) => {
    if (severity === 'debug' && !verbose) return;
    const text = verbose ? message : withoutStackTrace(message, stack.directory);
    const feature = unsupportedFeature(message);
    if (severity !== 'error') report.diagnose(severity, text, urn);
    else if (feature !== undefined) report.error(unsupported(feature), urn);
    // The program only repeats the error of a resource that failed. What it logs fails nothing, as under the CLI; a
    // program that gives up says so by its exit code.
    else if (!report.failed || verbose) report.diagnose('error', text, urn);
  };
  const server = new Server(channelOptions);
  server.addService(monitorService, monitor(deployment, options));
  server.addService(engineService, engine(log));
  const address = `127.0.0.1:${await listen(server)}`;
  if (contained === undefined)
    return { address, programAddress: address, close: () => server.forceShutdown() };
  // A folder that no one else may enter.
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-engine-'));
  const programAddress = await listenAtFile(server, join(folder, 'socket'));
  const close = () => {
    server.forceShutdown();
    rmSync(folder, { recursive: true, force: true });
  };
  return { address, programAddress, close };
}

const severities: Record<number, Diagnostic['severity']> = {
  [enginePb.LogSeverity.DEBUG]: 'debug',
  [enginePb.LogSeverity.INFO]: 'info',
  [enginePb.LogSeverity.WARNING]: 'warning',
  [enginePb.LogSeverity.ERROR]: 'error',
};

export const engineService = engineGrpc.EngineService;

/**
 * Pulumi's `Engine` service: the program's log lines, and the one root resource of its stack (pulumi/pulumi
 * `proto/pulumi/engine.proto`).
 */
export function engine(log: (diagnostic: Diagnostic) => void): UntypedServiceImplementation {
  let rootResource = '';
  return {
    log: unary((request) => {
      const severity = severities[request.getSeverity()] ?? 'info';
      log({ severity, message: request.getMessage(), urn: request.getUrn() || undefined });
      return new emptyPb.Empty();
    }),
    getRootResource: unary(() => new enginePb.GetRootResourceResponse().setUrn(rootResource)),
    setRootResource: unary((request) => {
      rootResource = request.getUrn();
      return new enginePb.SetRootResourceResponse();
    }),
    // There is no CLI whose version could be wrong.
    requirePulumiVersion: unary(() => new enginePb.RequirePulumiVersionResponse()),
    startDebugging: unary(() => new emptyPb.Empty()),
  } satisfies Partial<Handlers<engineGrpc.IEngineServer>>;
}
