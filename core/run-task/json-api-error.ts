/** An error of the callback's answer, as JSON:API has it (facts/run-tasks.md, "Callback"). */
export interface JsonApiError {
  status: string;
  title: string;
  detail: string;
  source?: { pointer: string };
}

/** A refusal for one reason. */
export function refusal<Status extends number>(status: Status, title: string, detail: string) {
  const errors: JsonApiError[] = [{ status: String(status), title, detail }];
  return { status, errors };
}

export const unauthorized = refusal(
  401,
  'unauthorized',
  'The access token of the run task request is needed, as a bearer token.',
);

/** @param pointer JSON pointer to what is wrong, for example `/data/attributes/status` */
export function unprocessable(detail: string, pointer?: string): JsonApiError {
  return {
    status: '422',
    title: 'invalid attribute',
    detail,
    ...(pointer === undefined ? {} : { source: { pointer } }),
  };
}
