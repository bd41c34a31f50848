import { type JsonApiError, refusal, unauthorized } from '../../core/run-task/json-api-error.ts';
import { resultContentType } from '../../core/run-task/result.ts';
import type { Route, RouteAnswer } from '../route.ts';
import { bearerToken } from './access-token.ts';
import type { Platform } from './platform.ts';

/** Bytes of a callback: a result with many long outcomes. */
const largestCallback = 8 * 1024 * 1024;

/** What integrators ask of the platform: callbacks (interface.md A-2), and the plan at `plan_json_api_url`. */
export function protocolRoutes(platform: Pick<Platform, 'takeCallback' | 'readPlan'>): Route[] {
  return [
    {
      method: 'PATCH',
      path: '/api/v2/task-results/:id/callback',
      maxBytes: largestCallback,
      async answer({ params, headers, body }) {
        const token = bearerToken(headers.authorization);
        const answer = await platform.takeCallback(params['id'] ?? '', token, body);
        return answer.status === 200 ? { status: 200 } : json(answer);
      },
    },
    {
      method: 'GET',
      path: '/api/v2/plans/:run/json-output',
      async answer({ params, headers }) {
        const read = await platform.readPlan(params['run'] ?? '', bearerToken(headers.authorization));
        if (read === undefined) return json(unauthorized);
        if (read.plan === undefined) {
          return json(refusal(404, 'not found', 'There is no plan yet.'));
        }
        return {
          status: 200,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(read.plan),
        };
      },
    },
  ];
}

function json({ status, errors }: { status: number; errors: JsonApiError[] }): RouteAnswer {
  return {
    status,
    headers: { 'content-type': resultContentType },
    // As bytes: a charset would be added to a text, and JSON:API allows none.
    body: Buffer.from(JSON.stringify({ errors })),
  };
}
