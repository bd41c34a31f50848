import * as pulumi from '@pulumi/pulumi';
import { lazyProperties } from './lazy-properties.ts';

/**
 * Switches off work that the SDK does for every resource and no one uses (packages/bench/README.md): four fifths of
 * the time of a program with 1,000 roles, and half of its memory.
 *
 * - A stack trace for every promise and resource, mapped through source maps. One frame stays: an error still names the
 *   line that threw it. The author of an environment sees a path in the YAML, not a trace.
 * - Three debug messages per resource, sent to the engine one after the other; the program waits for them at the end.
 * - An output for every property of a resource, read or not.
 *
 * `index.ts` alone calls it: a program that imports the package has the SDK as it is. `GATEHOUSE_TRACES=1` leaves it
 * all on here, too.
 */
export function leanSdk(): void {
  if (process.env['GATEHOUSE_TRACES'] === '1') return;
  // Not assigned: Node can be started with built-in objects that cannot be changed.
  Reflect.set(Error, 'stackTraceLimit', 1);
  Reflect.deleteProperty(Error, 'prepareStackTrace');
  // For resources the SDK lifts the limit, and the engine keeps each trace in the state, which it writes at every step.
  if (typeof Reflect.get(pulumi.Resource, 'callsites') === 'function')
    Reflect.set(pulumi.Resource, 'callsites', () => []);
  dropDebugMessages();
  lazyProperties();
}

function dropDebugMessages(): void {
  const engine = pulumi.runtime.getEngine?.() as LogClient | undefined;
  if (typeof engine?.log !== 'function') return;
  const send = engine.log.bind(engine);
  Reflect.set(engine, 'log', (...args: Parameters<LogClient['log']>) => {
    const [request, answered, ...rest] = args;
    const isAsKnown = typeof answered === 'function' && rest.length === 0;
    if (isAsKnown && request.getSeverity?.() === debugSeverity) return answered(null);
    return send(...args);
  });
}

/** The part of the SDK's engine client that we use (pulumi/pulumi proto/pulumi/engine.proto). */
interface LogClient {
  log(request: { getSeverity?(): number }, answered: (error: unknown) => void, ...rest: unknown[]): unknown;
}

/** `LogSeverity.DEBUG` of engine.proto. */
const debugSeverity = 0;
