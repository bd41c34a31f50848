export { requireReview } from './require-review.ts';
export { signerOf, signReview } from './sign-statement.ts';
export type { ReviewedChange } from './statement.ts';
export { digestsOfSteps } from './steps-digests.ts';
export { trailOf } from './trail.ts';
