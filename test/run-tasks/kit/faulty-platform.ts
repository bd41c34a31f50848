import { jsonIn } from '../../../core/model/values/json.ts';
import { parseResult } from '../../../core/run-task/result.ts';
import { serveRequests } from '../../../run-tasks/kit/serve-requests.ts';
import { samplePayload } from '../../core/run-task/sample-payload.ts';

/** What is wrong with a platform; one without faults does all that the protocol asks for. */
export interface PlatformFaults {
  sendsNoVerification?: boolean;
  takes202?: boolean;
  crashesOnNul?: boolean;
  crashesOver250?: boolean;
  changesFinals?: boolean;
  takesAnyToken?: boolean;
  mediaType?: string;
  knowsNo405?: boolean;
  givesPlanToAll?: boolean;
  pointsNowhere?: boolean;
  signature?: string;
  misses?: string;
}

/** A small platform with faults of its own, that sends one task to an integrator. */
export async function startFaultyPlatform(faults: PlatformFaults) {
  const { mediaType = 'application/vnd.api+json', misses = '' } = faults;
  let isEnded = false;
  const server = await serveRequests((request, body, response) => {
    const refuse = (status: number, pointer?: string, headers = {}) => {
      const source = pointer === undefined ? {} : { source: { pointer } };
      const errors = [{ status: String(status), title: 'no', ...source }];
      response.writeHead(status, { 'content-type': mediaType, ...headers }).end(JSON.stringify({ errors }));
    };
    const isKnown = request.headers.authorization === 'Bearer the-token';
    if (request.url === '/plan') {
      return isKnown || faults.givesPlanToAll ? void response.end('{"a": 1}') : refuse(401);
    }
    if (request.method !== 'PATCH') {
      return faults.knowsNo405 ? refuse(404) : refuse(405, undefined, { allow: 'PATCH' });
    }
    if (!isKnown && !faults.takesAnyToken) return refuse(401);
    const text = body.toString();
    if (faults.crashesOnNul && text.includes('\\u0000')) return refuse(500);
    const parsed = parseResult(jsonIn(text));
    if ('errors' in parsed) {
      if (faults.crashesOver250 && text.includes('o-250')) return refuse(500);
      return refuse(422, faults.pointsNowhere ? undefined : parsed.errors[0]?.source?.pointer);
    }
    if (isEnded && !faults.changesFinals) return refuse(422);
    isEnded ||= parsed.result.status !== 'running';
    response.end();
  });
  const { address } = server;
  return {
    ...server,
    /** Sends the task, and sends it again until it is accepted. */
    async ask(integrator: string): Promise<void> {
      const urls = { task_result_callback_url: `${address}/callback`, plan_json_api_url: `${address}/plan` };
      const capabilitites = { outcomes: true };
      const payload = samplePayload({
        ...urls,
        capabilitites,
        access_token: 'the-token',
        [misses]: undefined,
      });
      const send = async (json: object) => {
        const headers = {
          'content-type': 'application/json',
          'x-platform-task-signature': faults.signature ?? '',
        };
        return (await fetch(integrator, { method: 'POST', headers, body: JSON.stringify(json) })).status;
      };
      if (!faults.sendsNoVerification) await send({ ...payload, access_token: 'test-token' });
      if ((await send(payload)) !== 200 && !faults.takes202) await send(payload);
    },
  };
}
