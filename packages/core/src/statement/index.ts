export type { OpenedStatement } from './open-statement.ts';
export { type ReviewStatement, reviewStatement } from './predicate.ts';
export { type ReviewsAsked, requireReview, type StatementFile } from './require-review.ts';
export { type StatementSigner, signerOf, signStatement } from './sign-statement.ts';
export { digestOfValue, type ReviewedChange, statementOf } from './statement.ts';
