import { z } from 'zod';
import { errorsOf, type JsonApiError } from './json-api-error.ts';
import { limits } from './limits.ts';
import {
  type Outcome,
  outcomeToWire,
  receivedLine,
  receivedOutcome,
  receivedUrl,
  sentLine,
} from './outcome.ts';

/** What an integrator reports (docs/inside/specification.md A2, `data.attributes.status`). */
export const ResultStatus = { running: 'running', passed: 'passed', failed: 'failed' } as const;
export type ResultStatus = (typeof ResultStatus)[keyof typeof ResultStatus];

/** Whether it is the last word on its task. */
export function isFinal(status: ResultStatus): boolean {
  return status !== ResultStatus.running;
}

/** What an integrator calls back with (docs/inside/specification.md A2). */
export interface Result {
  status: ResultStatus;
  /** Short; shown next to the status. */
  message?: string;
  url?: string;
  outcomes: Outcome[];
}

/** The last word on a task, with all that it found. */
export interface FinalResult extends Result {
  status: 'passed' | 'failed';
  message: string;
}

/** The content type of a result. */
export const resultContentType = 'application/vnd.api+json';

const outcomes = z.looseObject({
  outcomes: z
    .looseObject({
      // Counted first: a million wrong ones are not looked at.
      data: z.array(z.unknown()).max(limits.outcomes).pipe(z.array(receivedOutcome)),
    })
    .nullish(),
});

/** The schema of a result that the integrator sends back. */
export const receivedResult = z.looseObject({
  data: z.looseObject({
    type: z.literal('task-results', 'must be "task-results"'),
    attributes: z.looseObject({
      status: z.enum(ResultStatus, 'must be one of passed, failed and running'),
      message: receivedLine.nullish(),
      url: receivedUrl.nullish(),
      // One published page has the outcomes here, another below `data`, the table in docs/inside/specification.md A2 at
      // the top.
      relationships: outcomes.nullish(),
    }),
    relationships: outcomes.nullish(),
  }),
  relationships: outcomes.nullish(),
});

/** Reads the body of a callback, or says what is wrong with it as a platform answers it. */
export function parseResult(json: unknown): { result: Result } | { errors: JsonApiError[] } {
  const parsed = receivedResult.safeParse(json);
  if (!parsed.success) return { errors: errorsOf(parsed.error) };
  const { data, relationships } = parsed.data;
  const { status, message, url } = data.attributes;
  const received =
    data.relationships?.outcomes ?? relationships?.outcomes ?? data.attributes.relationships?.outcomes;
  return {
    result: {
      status,
      ...(message ? { message } : {}),
      ...(url ? { url } : {}),
      outcomes: received?.data ?? [],
    },
  };
}

/**
 * The body of a callback. More outcomes than one callback may hold are left out: send them before, with `running`.
 *
 * @param acceptsOutcomes `capabilities.outcomes` of the request; where it is false none are sent
 */
export function resultToWire({ status, message, url, outcomes }: Result, acceptsOutcomes: boolean) {
  return {
    data: {
      type: 'task-results',
      attributes: {
        status,
        ...(message ? { message: sentLine(message, limits.message) } : {}),
        ...(url !== undefined && url.length <= limits.url ? { url } : {}),
      },
      ...(acceptsOutcomes && outcomes.length > 0
        ? { relationships: { outcomes: { data: outcomes.slice(0, limits.outcomes).map(outcomeToWire) } } }
        : {}),
    },
  };
}
