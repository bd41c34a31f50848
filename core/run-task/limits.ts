/** Limits of the run task protocol (interface.md, "Limits"; facts/run-tasks.md, "Published limits"). */
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
  /** On one outcome. */
  tags: 10,
} as const;

/** Characters of an outcome's body that a platform still takes: "up to 5 MB in prose". */
export const largestBody = 5 * 1024 * 1024;

/** Tags on an outcome that a platform still takes: a page shows them all. */
export const mostTags = 100;
