export { requireReview } from './require-review.ts';
export { signerOf } from './sign-statement.ts';
export { statementOf } from './statement.ts';
export { digestsOfSteps } from './steps-digests.ts';
export { trailOf } from './trail.ts';
