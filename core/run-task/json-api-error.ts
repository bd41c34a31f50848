/** An error of the callback's answer, as JSON:API has it (facts/run-tasks.md, "Callback"). */
export interface JsonApiError {
  status: string;
  title: string;
  detail: string;
  source?: { pointer: string };
}

export const unauthorized: JsonApiError = {
  status: '401',
  title: 'unauthorized',
  detail: 'The access token of the run task request is needed, as a bearer token.',
};

/** @param pointer JSON pointer to what is wrong, for example `/data/attributes/status` */
export function unprocessable(detail: string, pointer?: string): JsonApiError {
  return {
    status: '422',
    title: 'invalid attribute',
    detail,
    ...(pointer === undefined ? {} : { source: { pointer } }),
  };
}
