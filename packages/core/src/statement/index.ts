export { requireReview } from './require-review.ts';
export { signerOf } from './sign-statement.ts';
export { type ReviewedChange, statementOf } from './statement.ts';
export { digestsOfSteps } from './steps-digests.ts';
export { type KeptReview, trailOf } from './trail.ts';
