import * as pulumi from '@pulumi/pulumi';
import { lazyProperties } from './lazy-properties.ts';

/**
 * Switches off work that the SDK does for every resource and nobody uses (bench/README.md): four fifths of the time of
 * a program with 1,000 roles, and half of its memory.
 *
 * - A stack trace for every promise and resource, mapped through source maps. One frame stays: an error still names the
 *   line that threw it. The author of an environment sees a path in the YAML, not a trace.
 * - Three debug messages per resource, sent to the engine one after the other; the program waits for them at the end.
 * - An output for every property of a resource, read or not.
 *
 * `GATEHOUSE_TRACES=1` leaves it all on.
 */
export function leanSdk(): void {
  if (process.env['GATEHOUSE_TRACES'] === '1') return;
  Error.stackTraceLimit = 1;
  Reflect.deleteProperty(Error, 'prepareStackTrace');
  lazyProperties();

  const engine = pulumi.runtime.getEngine() as LogClient | undefined;
  if (engine === undefined) return;
  const send = engine.log.bind(engine);
  engine.log = (request, answered) => {
    if (request.getSeverity() === debugSeverity) answered(null);
    else send(request, answered);
  };
}

/** The part of the SDK's engine client that we use (pulumi/pulumi proto/pulumi/engine.proto). */
interface LogClient {
  log(request: { getSeverity(): number }, answered: (error: unknown) => void): unknown;
}

/** `LogSeverity.DEBUG` of engine.proto. */
const debugSeverity = 0;
