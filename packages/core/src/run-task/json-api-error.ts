import { type ZodError, z } from 'zod';
import { isUnwieldyJson } from '../graph/values/json.ts';

/** An error of the callback's answer, as JSON:API has it (docs/inside/measured/run-task-platforms.md#callback). */
export const jsonApiError = z.object({
  status: z.string(),
  title: z.string(),
  detail: z.string(),
  source: z.object({ pointer: z.string().optional(), parameter: z.string().optional() }).optional(),
});
/** An error of the API of runs. */
export type JsonApiError = z.output<typeof jsonApiError>;

/** A refusal for one reason. */
export function refusal<Status extends number>(status: Status, title: string, detail: string) {
  const errors: JsonApiError[] = [{ status: String(status), title, detail }];
  return { status, errors };
}

/** The refusal without the access token. */
export const unauthorized = refusal(
  401,
  'unauthorized',
  'The access token of the run task request is needed, as a bearer token.',
);

/** @param pointer JSON pointer (RFC 6901) to what is wrong: `/data/attributes/status`, or `""` for the document */
/** The refusal of a body that is not valid, with the place in it. */
/** Why JSON from outside is refused before it is parsed; undefined if it is not. */
export function unwieldyError(text: string): JsonApiError | undefined {
  return isUnwieldyJson(text)
    ? unprocessable('the JSON is nested too deep, or has too many values', '')
    : undefined;
}

export function unprocessable(detail: string, pointer: string): JsonApiError {
  return { status: '422', title: 'invalid attribute', detail, source: { pointer } };
}

/** The most errors of one answer. */
const mostErrors = 20;

/** What a schema objects to, each with its place. No error quotes a value. */
export function errorsOf({ issues }: Pick<ZodError, 'issues'>): JsonApiError[] {
  return issues.slice(0, mostErrors).map(({ message, path }) => {
    const pointer = path.map((part) => `/${pointerPart(part)}`).join('');
    return unprocessable(`${path.at(-1)?.toString() ?? 'the body'}: ${message}`, pointer);
  });
}

/** RFC 6901, section 3. */
function pointerPart(part: PropertyKey): string {
  return String(part).replaceAll('~', '~0').replaceAll('/', '~1');
}
