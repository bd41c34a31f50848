import * as pulumi from '@pulumi/pulumi';
import { lazyProperties } from './lazy-properties.ts';

/**
 * Switches off, for this program, what the SDK does at every resource and nobody reads (bench/README.md): four
 * fifths of the time of a program with 1,000 roles, and half of its memory.
 *
 * - A stack trace for every promise and resource, each mapped through source maps. One frame stays: an error still
 *   names the line that threw it. What an environment's author sees is a path in the YAML, not a trace.
 * - Three debug messages a resource, sent to the engine one after the other; they are waited for at the end.
 * - An output for every property of a resource, whether or not it is read.
 *
 * `GATEHOUSE_TRACES=1` leaves all of it on.
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

/** What the SDK's client of the engine looks like to us (pulumi/pulumi proto/pulumi/engine.proto). */
interface LogClient {
  log(request: { getSeverity(): number }, answered: (error: unknown) => void): unknown;
}

/** `LogSeverity.DEBUG` of engine.proto. */
const debugSeverity = 0;
