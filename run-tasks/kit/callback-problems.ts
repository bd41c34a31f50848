import { limits } from '../../core/run-task/limits.ts';
import type { Outcome } from '../../core/run-task/outcome.ts';
import { resultContentType } from '../../core/run-task/result.ts';
import type { TakenCallback } from './test-platform.ts';

/** What is wrong with one callback, by the protocol and its published limits. */
export function callbackProblems({ headers, result, problems, answered }: TakenCallback): string[] {
  const type = headers['content-type']?.split(';')[0]?.trim();
  return [
    ...problems,
    ...(answered === 401 ? ['a callback without the access token as a bearer token'] : []),
    ...(type === resultContentType ? [] : [`a callback with content type ${type ?? 'none'}`]),
    ...(result === undefined
      ? []
      : [
          ...tooLong('message', result.message, limits.message),
          ...tooLong('url', result.url, limits.url),
          ...result.outcomes.flatMap(outcomeProblems),
        ]),
  ];
}

function outcomeProblems({ outcomeId, description, body, url, tags = {} }: Outcome): string[] {
  const entries = Object.values(tags).flat();
  return [
    ...tooLong('outcome-id', outcomeId, limits.outcomeId),
    ...tooLong('description', description, limits.description),
    ...tooLong('body', body, limits.body),
    ...tooLong('url', url, limits.url),
    ...entries.flatMap(({ label }) => tooLong('label', label, limits.label)),
    ...(entries.length > limits.tags ? [`an outcome with ${entries.length} tags, over ${limits.tags}`] : []),
  ];
}

function tooLong(field: string, text: string | undefined, most: number): string[] {
  return text === undefined || text.length <= most
    ? []
    : [`${field} of ${text.length} characters, over ${most}`];
}
