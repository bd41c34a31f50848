import type { IncomingHttpHeaders } from 'node:http';
import { jsonIn, objectIn } from '../../core/model/values/json.ts';
import { limits } from '../../core/run-task/limits.ts';
import { wireOutcome } from '../../core/run-task/outcome.ts';
import { isVerification, parsePayload } from '../../core/run-task/payload.ts';
import { resultContentType } from '../../core/run-task/result.ts';
import { isSigned, signatureHeaders } from '../../core/run-task/signature.ts';
import { serveRequests } from './serve-requests.ts';
import { waitFor } from './test-platform.ts';

interface PlatformBench {
  /** Origin of the platform: nothing else is called. */
  platform: string;
  key: string | undefined;
  port: number;
  host: string;
  /** Milliseconds to wait for a request, and for its repetition. */
  patienceMs: number;
  /** Called once requests are taken, with the port: the one that the system chose for port 0. */
  onListening: (port: number) => void;
}

interface PlatformCheck {
  name: string;
  details: string[];
  /** Why it was not checked. */
  skipped?: string;
}

interface Came {
  headers: IncomingHttpHeaders;
  body: Buffer;
  json: Record<string, unknown>;
}

const mebibyte = 1024 * 1024;
const answerMs = 30_000;

/**
 * Plays a sloppy integrator against a platform: waits for the request of one run task, and does everything that is wrong.
 * The run of that task passes in the end.
 *
 * @throws GatehouseError `port_in_use`
 */
export async function checkPlatform(bench: PlatformBench): Promise<PlatformCheck[]> {
  const came: Came[] = [];
  const tasks = () => came.filter(({ json }) => !isVerification(json));
  const server = await serveRequests(({ headers }, body, response) => {
    const json = objectIn(body.toString()) ?? {};
    const isTask = !isVerification(json);
    // The first request of a task is answered with what does not count.
    const isFirst = isTask && !tasks().some((one) => one.json['task_result_id'] === json['task_result_id']);
    came.push({ headers, body, json });
    response.writeHead(isFirst ? 202 : 200).end();
  }, bench);
  bench.onListening(server.port);
  try {
    await waitFor(() => tasks().length > 0, bench.patienceMs);
    const [first] = tasks();
    if (first === undefined) {
      const details = ['none came: set the task on the platform, and start a run'];
      return [{ name: 'a run task request comes', details }];
    }
    const again = () => tasks().filter(({ json }) => json['task_result_id'] === first.json['task_result_id']);
    await waitFor(() => again().length > 1, bench.patienceMs);
    const verified = isVerification(came[0]?.json) ? [] : ['none came: a wrong address is found by a run'];
    return [
      { name: 'a verification request comes before the first task', details: verified },
      { name: 'a request answered 202 comes again', details: again().length > 1 ? [] : ['it did not'] },
      { name: 'the request: content type, signature, fields', details: requestProblems(first, bench.key) },
      ...(await callbackChecks(bench, again().at(-1) ?? first, tasks())),
    ];
  } finally {
    await server.close();
  }
}

function requestProblems({ headers, body, json }: Came, key: string | undefined): string[] {
  const read = parsePayload(json);
  const signatures = signatureHeaders.map((name) => headers[name.toLowerCase()]);
  const isRight = signatures.some((one) => isSigned(body, one?.toString(), key === undefined ? [] : [key]));
  return [
    ...('errors' in read ? read.errors.map(({ detail }) => detail) : []),
    ...(isRight ? [] : ['its signature is not that of this key']),
    ...(signatures.every((one) => one === undefined) ? ['it has no header with a signature'] : []),
    ...(headers['content-type'] === 'application/json' ? [] : [`content type ${headers['content-type']}`]),
    ...['capabilities', 'capabilitites'].filter((name) => !(name in json)).map((name) => `no ${name}`),
  ];
}

async function callbackChecks(bench: PlatformBench, { json }: Came, tasks: Came[]): Promise<PlatformCheck[]> {
  const {
    task_result_callback_url: url,
    access_token: token,
    plan_json_api_url: plan,
  } = json as Record<string, string>;
  const own = (address = '') => URL.parse(address)?.origin === new URL(bench.platform).origin;
  if (!own(url)) return [{ name: 'its callback is on the platform', details: ['it is at another origin'] }];
  const send = (body: string, given: string | undefined = token, method = 'PATCH') =>
    ask(url ?? '', method, given, body);
  const running = (outcomes: object[], more: object = {}) => send(result('running', outcomes, more));
  const many = (count: number) => Array.from({ length: count }, (_, at) => outcome(`o-${at}`));
  const odd = 'a\0b\ud800c';
  const other = tasks.find((one) => one.json['task_result_id'] !== json['task_result_id']);
  const checks: PlatformCheck[] = [];
  const check = async (name: string, run: () => Promise<string[]>) => {
    const details = await run().catch((error: Error) => [
      `no answer: ${(error.cause as Error)?.message ?? error.message}`,
    ]);
    checks.push({ name, details });
  };
  await check('no token: 401', async () => refusedWith(await send(result('passed'), ''), 401));
  await check('a wrong token: 401', async () => refusedWith(await send(result('passed'), 'wrong'), 401));
  if (other === undefined) {
    checks.push({ name: 'the token of another task: 401', details: [], skipped: 'only one task came' });
  } else {
    const its = String(other.json['access_token']);
    await check('the token of another task: 401', async () =>
      refusedWith(await send(result('passed'), its), 401),
    );
  }
  await check('a body that is not JSON: 422', async () => refusedWith(await send('{"data":'), 422, ''));
  await check('an unknown status: 422', async () =>
    refusedWith(await send(result('done')), 422, '/data/attributes/status'),
  );
  await check('another method: 405, with Allow', async () => {
    const answer = await send(result('running'), token, 'PUT');
    const allow = answer.headers.get('allow') ?? '';
    return [...refusedWith(answer, 405), ...(allow.includes('PATCH') ? [] : [`Allow: ${allow}`])];
  });
  await check('running, again and again: 200', async () => [
    ...taken(await running([outcome('a')])),
    ...taken(await running([outcome('a'), outcome('a')])),
  ]);
  await check('texts that a database does not store: 200 or 422', async () => {
    const strange = { 'outcome-id': odd, description: odd, body: odd, tags: { [odd]: [{ label: odd }] } };
    return judged(await running([{ ...outcome('a'), attributes: strange }], { message: odd, url: odd }));
  });
  await check(`${limits.outcomes} outcomes: 200`, async () => taken(await running(many(limits.outcomes))));
  await check('more outcomes: 200 or 422', async () => judged(await running(many(limits.outcomes + 1))));
  await check('a body of 5 MB: 200 or 413', async () =>
    judged(await running([outcome('a', 'x'.repeat(5 * mebibyte - 1000))]), [200, 413, 422]),
  );
  await check('a body of 20 MB: an answer', async () =>
    judged(await running([outcome('a', 'x'.repeat(20 * mebibyte))]), [200, 413, 422]),
  );
  if (own(plan)) {
    await check('the plan: JSON with the token, 401 without', async () => {
      const answer = await ask(plan ?? '', 'GET', token);
      return [
        ...(answer.status === 200 && jsonIn(answer.body) ? [] : [`answered ${answer.status}`]),
        ...refusedWith(await ask(plan ?? '', 'GET', ''), 401),
      ];
    });
  }
  await check('passed: 200', async () => taken(await send(result('passed'))));
  await check('a final result stays: 422 to all that follows', async () => [
    ...refusedWith(await send(result('failed')), 422),
    ...refusedWith(await send(result('running')), 422),
  ]);
  return checks;
}

interface Answered {
  status: number;
  headers: Headers;
  body: string;
}

async function ask(url: string, method: string, token: string | undefined, body?: string): Promise<Answered> {
  const answer = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { 'content-type': resultContentType, ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body,
    signal: AbortSignal.timeout(answerMs),
  });
  return { status: answer.status, headers: answer.headers, body: await answer.text() };
}

function taken({ status, body }: Answered): string[] {
  return [
    ...(status === 200 ? [] : [`answered ${status} instead of 200`]),
    ...(status === 200 && body !== '' ? ['its 200 has content'] : []),
  ];
}

function judged({ status }: Answered, allowed = [200, 422]): string[] {
  return allowed.includes(status) ? [] : [`answered ${status}`];
}

/** @param pointer of the first error, where the protocol says which */
function refusedWith({ status, headers, body }: Answered, expected: number, pointer?: string): string[] {
  if (status !== expected) return [`answered ${status} instead of ${expected}`];
  const type = headers.get('content-type');
  const [first] = (objectIn(body)?.['errors'] ?? []) as {
    status?: string;
    source?: { pointer?: string };
  }[];
  return [
    ...(type === resultContentType ? [] : [`its ${status} has content type ${type}`]),
    ...(first?.status === String(expected) ? [] : [`its ${status} has no JSON:API error`]),
    ...(pointer === undefined || first?.source?.pointer === pointer
      ? []
      : [
          `its error points to ${JSON.stringify(first?.source?.pointer)} instead of ${JSON.stringify(pointer)}`,
        ]),
  ];
}

function outcome(outcomeId: string, body?: string) {
  return wireOutcome({ outcomeId, description: 'sent by gatehouse run-task test', ...(body && { body }) });
}

function result(status: string, outcomes: object[] = [], more: object = {}): string {
  const attributes = { status, ...more };
  return JSON.stringify({
    data: { type: 'task-results', attributes, relationships: { outcomes: { data: outcomes } } },
  });
}
