import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import engineGrpc from '@pulumi/pulumi/proto/engine_grpc_pb.js';
import enginePb from '@pulumi/pulumi/proto/engine_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import type { Diagnostic } from '../engine.ts';
import { unary } from './loopback-server.ts';

const severities: Record<number, Diagnostic['severity']> = {
  [enginePb.LogSeverity.DEBUG]: 'debug',
  [enginePb.LogSeverity.INFO]: 'info',
  [enginePb.LogSeverity.WARNING]: 'warning',
  [enginePb.LogSeverity.ERROR]: 'error',
};

type Implementation = Partial<Record<keyof engineGrpc.IEngineServer, unknown>> & UntypedServiceImplementation;

/** The service's definition, for the server that is to offer it. */
export const engineService = engineGrpc.EngineService;

/**
 * Pulumi's `Engine` service: the program's log lines, and the one root resource of its stack (pulumi/pulumi
 * `proto/pulumi/engine.proto`).
 */
export function engine(log: (diagnostic: Diagnostic) => void): UntypedServiceImplementation {
  let rootResource = '';
  const implementation: Implementation = {
    log: unary((request: InstanceType<typeof enginePb.LogRequest>) => {
      const urn = request.getUrn();
      log({
        severity: severities[request.getSeverity()] ?? 'info',
        message: request.getMessage(),
        ...(urn === '' ? {} : { urn }),
      });
      return new emptyPb.Empty();
    }),
    getRootResource: unary(() => new enginePb.GetRootResourceResponse().setUrn(rootResource)),
    setRootResource: unary((request: InstanceType<typeof enginePb.SetRootResourceRequest>) => {
      rootResource = request.getUrn();
      return new enginePb.SetRootResourceResponse();
    }),
    // There is no version to compare: the engine stands in for the CLI of the program's own SDK.
    requirePulumiVersion: unary(() => new enginePb.RequirePulumiVersionResponse()),
    startDebugging: unary(() => new emptyPb.Empty()),
  };
  return implementation;
}
