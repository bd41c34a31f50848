import { previewType, terraformForm } from '@gatehouse/core/review';
import { receivedResult, refusal, resultContentType, unauthorized } from '@gatehouse/core/run-task';
import { jsonApiAnswer, type Route, type RouteAnswer, type RouteRequest, tokenIn } from '../route.ts';
import type { Platform } from './platform.ts';

/** Bytes of a callback. A result may have many long outcomes. */
const largestCallback = 8 * 1024 * 1024;

/**
 * Routes that integrators call: the callback (docs/inside/specification.md A-2), the plan at `plan_json_api_url`, and the
 * stack's files.
 */
export function protocolRoutes(
  platform: Pick<Platform, 'takeCallback' | 'isTokenOf' | 'readPlan' | 'readFiles'>,
): Route[] {
  /** A route below a run, for tokens of its open tasks. */
  const ofRun = (
    path: string,
    { missing, summary, type }: { missing: string; summary: string; type: `${string}/${string}` },
    answer: (run: string, headers: RouteRequest['headers']) => Promise<RouteAnswer | undefined>,
  ): Route => ({
    method: 'GET',
    path,
    description: { summary, security: 'bearer', answers: { 200: type } },
    async answer({ params, headers }) {
      const run = params['run'] ?? '';
      const isAllowed = await platform.isTokenOf(run, tokenIn(headers.authorization));
      if (!isAllowed) return jsonApiAnswer(401, unauthorized.errors);
      return (await answer(run, headers)) ?? jsonApiAnswer(404, refusal(404, 'not found', missing).errors);
    },
  });
  return [
    {
      method: 'PATCH',
      path: '/api/v2/task-results/:id/callback',
      description: {
        summary: 'Report the result of a run task',
        security: 'bearer',
        body: receivedResult,
        bodyType: resultContentType,
        answers: { 200: 'empty' },
      },
      maxBytes: largestCallback,
      async answer({ params, headers, body }) {
        const token = tokenIn(headers.authorization);
        const answer = await platform.takeCallback(params['id'] ?? '', token, body);
        return answer.status === 200 ? { status: 200 } : jsonApiAnswer(answer.status, answer.errors);
      },
    },
    ofRun('/api/v2/plans/:run/json-output', planOf, async (run, { accept }) => {
      const plan = await platform.readPlan(run);
      if (plan === undefined) return undefined;
      const isPreview = acceptsPreview(accept);
      return {
        status: 200,
        headers: { 'content-type': isPreview ? previewType : 'application/json', vary: 'accept' },
        // Bytes, because Fastify adds a charset to a string.
        body: Buffer.from(JSON.stringify(isPreview ? plan : terraformForm(plan))),
      };
    }),
    ofRun('/api/v2/configuration-versions/:run/download', filesOf, async (run) => {
      const body = await platform.readFiles(run);
      return body && { status: 200, headers: { 'content-type': 'application/gzip' }, body };
    }),
  ];
}

const planOf = {
  missing: 'There is no plan yet.',
  summary: 'The plan of a run',
  type: 'application/json',
} as const;
const filesOf = {
  missing: 'The files of this run are not available.',
  summary: 'The files of the stack',
  type: 'application/gzip',
} as const;

/** Whether a client accepts a plan in Pulumi's format, not only in Terraform's. */
function acceptsPreview(accept = ''): boolean {
  return accept.split(',').some((range) => range.split(';')[0]?.trim().toLowerCase() === previewType);
}
