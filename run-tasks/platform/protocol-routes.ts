import { previewType, terraformForm } from '../../core/review/plan/terraform-form.ts';
import { refusal, unauthorized } from '../../core/run-task/json-api-error.ts';
import { jsonApiAnswer, type Route, type RouteAnswer } from '../route.ts';
import { bearerToken } from './access-token.ts';
import type { Platform } from './platform.ts';

/** Bytes of a callback. A result may have many long outcomes. */
const largestCallback = 8 * 1024 * 1024;

/** What integrators call: the callback (interface.md A-2), the plan at `plan_json_api_url`, and the stack's files. */
export function protocolRoutes(platform: Pick<Platform, 'takeCallback' | 'readPlan' | 'readFiles'>): Route[] {
  return [
    {
      method: 'PATCH',
      path: '/api/v2/task-results/:id/callback',
      maxBytes: largestCallback,
      async answer({ params, headers, body }) {
        const token = bearerToken(headers.authorization);
        const answer = await platform.takeCallback(params['id'] ?? '', token, body);
        return answer.status === 200 ? { status: 200 } : jsonApiAnswer(answer.status, answer.errors);
      },
    },
    {
      method: 'GET',
      path: '/api/v2/plans/:run/json-output',
      async answer({ params, headers }) {
        const read = await platform.readPlan(params['run'] ?? '', bearerToken(headers.authorization));
        if (read?.plan === undefined) return notRead(read, 'There is no plan yet.');
        const isAsIs = acceptsPreview(headers.accept);
        return {
          status: 200,
          headers: { 'content-type': isAsIs ? previewType : 'application/json', vary: 'accept' },
          // As bytes: Fastify adds a charset to a string.
          body: Buffer.from(JSON.stringify(isAsIs ? read.plan : terraformForm(read.plan))),
        };
      },
    },
    {
      method: 'GET',
      path: '/api/v2/configuration-versions/:run/download',
      async answer({ params, headers }) {
        const read = await platform.readFiles(params['run'] ?? '', bearerToken(headers.authorization));
        if (read?.archive === undefined) return notRead(read, 'The files of this run are not available.');
        return { status: 200, headers: { 'content-type': 'application/gzip' }, body: read.archive };
      },
    },
  ];
}

function notRead(read: object | undefined, why: string): RouteAnswer {
  const { status, errors } = read === undefined ? unauthorized : refusal(404, 'not found', why);
  return jsonApiAnswer(status, errors);
}

/** Whether a plan is wanted as Pulumi writes it, rather than in Terraform's format. */
function acceptsPreview(accept = ''): boolean {
  return accept.split(',').some((one) => one.split(';')[0]?.trim().toLowerCase() === previewType);
}
