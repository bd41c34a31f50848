/**
 * Limits of the run task protocol (docs/inside/specification.md, "Limits";
 * docs/inside/measured/run-task-platforms.md#published-limits).
 */
export const limits = {
  /** Milliseconds from the request to a final status. */
  finalStatusMs: 10 * 60 * 1000,
  /** Characters. */
  message: 1000,
  url: 500,
  outcomeId: 64,
  description: 1000,
  /** One published schema has this; see `largestBody` for what is accepted. */
  body: 10_000,
  label: 32,
  /** In one callback. */
  outcomes: 250,
  /** For one task, in all its callbacks: a platform need not keep more. */
  taskOutcomes: 2000,
  /** On one outcome. */
  tags: 10,
} as const;

/** Characters of an outcome's body that a platform still takes: "up to 5 MB in prose". */
export const largestBody = 5 * 1024 * 1024;

/** Characters of any other text in a callback that a platform keeps: what is beyond is cut, an address left out. */
export const longestReceived = 10_000;
export const longestReceivedUrl = 2048;

/** Tags on an outcome that a platform still takes: a page shows them all. */
export const mostTags = 100;

/** Outcomes of one task that a platform still keeps. More are a defect of the integrator. */
export const mostOutcomes = 2500;

/** Characters of all of them, as JSON. A row has room for more, but every callback rewrites it. */
export const largestOutcomes = 16 * 1024 * 1024;
