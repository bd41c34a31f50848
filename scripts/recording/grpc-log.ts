/** A line of the file that `PULUMI_DEBUG_GRPC` names (pulumi/pulumi `pkg/util/rpcdebug`, `debugInterceptorLogEntry`). */
interface LogEntry {
  method: string;
  request: Record<string, unknown>;
  response?: unknown;
  errors?: string[];
  progress: 'request_started' | 'response_completed';
}

/** Where in the sources something is registered. */
const origin = ['sourcePosition', 'stackTrace'];

/** Of no use to a replay: where something is, and what is random. */
const left = new Set([
  ...[...origin, 'randomSeed', 'resourceStatusAddress', 'resourceStatusToken'],
  ...['engineAddress', 'mapperTarget', 'loaderTarget', 'resolverTarget', 'address'],
]);

/** Their answers hold the stack's whole configuration, secrets included. */
const unanswered = ['ResourceMonitor/GetDeploymentInfo'];

/**
 * The calls between engine, program and plugins, each with a number: a line when it begins, with its request, and one when
 * it ends, with its answer. So the order is kept, and no request stands there twice. Calls of the language host, which get
 * the configuration and the folder, are left out.
 */
export function conciseLog(log: string): string {
  const underWay = new Map<string, number[]>();
  let calls = 0;
  const lines: object[] = [];
  for (const line of log.split('\n').filter((text) => text !== '')) {
    const { method: path, request, response, errors, progress }: LogEntry = JSON.parse(line);
    const method = path.replace('/pulumirpc.', '');
    if (!/^Resource(Monitor|Provider)\//.test(method)) continue;
    const key = JSON.stringify([method, request]);
    if (progress === 'request_started') {
      const call = ++calls;
      underWay.set(key, [...(underWay.get(key) ?? []), call]);
      lines.push({ call, method, request: concise(request) });
      continue;
    }
    const call = underWay.get(key)?.shift();
    if (call === undefined) continue;
    const answer = unanswered.includes(method) ? {} : (response ?? {});
    lines.push({ call, ...(errors === undefined ? { response: answer } : { errors }) });
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function concise(request: Record<string, unknown>): object {
  return Object.fromEntries(Object.entries(request).filter(([name]) => !left.has(name)));
}

/** An exported state without the places in the sources. */
export function conciseState(json: string): string {
  return JSON.stringify(JSON.parse(json), (name, value) =>
    left.has(name) && name !== 'address' ? undefined : value,
  );
}
