import type { Diagnostic } from '../engine.ts';
import type { Deployment } from './deployment.ts';
import { engine, engineService } from './engine-service.ts';
import { unsupported } from './goal-message.ts';
import { listen, loopbackServer } from './loopback-server.ts';
import { type MonitorOptions, monitor, monitorService } from './monitor.ts';
import { unsupportedFeature, withoutStackTrace } from './program-message.ts';

/** The two services of a deployment: for its program, and for plugins that are processes of their own. */
export interface DeploymentServices {
  /** `127.0.0.1:<port>`. */
  address: string;
  close(): void;
}

/** Serves a deployment until it is closed. With `verbose`, stack traces and debug messages are kept. */
export async function serveDeployment(
  deployment: Deployment,
  options: MonitorOptions & { verbose: boolean },
): Promise<DeploymentServices> {
  const { directory, verbose } = options;
  const { report } = deployment;
  const log = ({ severity, message, urn }: Diagnostic) => {
    if (severity === 'debug' && !verbose) return;
    const text = verbose ? message : withoutStackTrace(message, directory);
    const feature = unsupportedFeature(message);
    if (severity !== 'error') report.diagnose(severity, text, urn);
    else if (feature !== undefined) report.error(unsupported(feature), urn);
    // What the program says of a resource that failed only repeats it.
    else if (!report.failed || verbose) report.error(text, urn);
  };
  const server = loopbackServer();
  server.addService(monitorService, monitor(deployment, options));
  server.addService(engineService, engine(log));
  const address = await listen(server);
  return { address, close: () => server.forceShutdown() };
}
