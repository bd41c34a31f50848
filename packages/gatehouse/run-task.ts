/**
 * The run task protocol, both sides: payload, signature, result, outcomes. Pure functions: no Pulumi, no file, no
 * network, no clock.
 *
 * @module
 */
export type { EnforcementLevel } from '../../core/model/values/enforcement-level.ts';
export { hasPlan, Stage } from '../../core/model/values/stage.ts';
export type { JsonApiError } from '../../core/run-task/json-api-error.ts';
export { largestBody, limits } from '../../core/run-task/limits.ts';
export {
  type Outcome,
  outcomeToWire,
  severityOutcome,
  type Tag,
  TagLevel,
} from '../../core/run-task/outcome.ts';
export {
  acceptsOutcomes,
  isVerification,
  parsePayload,
  payloadVersion,
  type ReceivedPayload,
  type SentPayload,
  verificationToken,
} from '../../core/run-task/payload.ts';
export { planDigest } from '../../core/run-task/plan-digest.ts';
export {
  isFinal,
  parseResult,
  type Result,
  ResultStatus,
  resultContentType,
  resultToWire,
} from '../../core/run-task/result.ts';
export { isSigned, sign, signatureHeaders } from '../../core/run-task/signature.ts';
