import { refusal, unauthorized } from '../../core/run-task/json-api-error.ts';
import { jsonAnswer, jsonApiAnswer, type Route } from '../route.ts';
import { bearerToken } from './access-token.ts';
import type { Platform } from './platform.ts';

/** Bytes of a callback. A result may have many long outcomes. */
const largestCallback = 8 * 1024 * 1024;

/** What integrators call: the callback (interface.md A-2), and the plan at `plan_json_api_url`. */
export function protocolRoutes(platform: Pick<Platform, 'takeCallback' | 'readPlan'>): Route[] {
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
        if (read?.plan !== undefined) return jsonAnswer(200, read.plan);
        const { status, errors } =
          read === undefined ? unauthorized : refusal(404, 'not found', 'There is no plan yet.');
        return jsonApiAnswer(status, errors);
      },
    },
  ];
}
