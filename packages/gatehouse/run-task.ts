/**
 * The run task protocol, both sides: payload, signature, result, outcomes. Pure functions: no Pulumi, no file, no
 * network, no clock.
 *
 * @module
 */

export type { JsonApiError } from '@gatehouse/core/run-task';
export {
  acceptsOutcomes,
  isFinal,
  isSigned,
  isVerification,
  largestBody,
  limits,
  type Outcome,
  outcomeToWire,
  parsePayload,
  parseResult,
  payloadVersion,
  planDigest,
  type ReceivedPayload,
  type Result,
  ResultStatus,
  resultContentType,
  resultToWire,
  type SentPayload,
  severityOutcome,
  sign,
  signatureHeaders,
  type Tag,
  TagLevel,
  verificationToken,
} from '@gatehouse/core/run-task';
export type { EnforcementLevel } from '@gatehouse/core/values';
export { hasPlan, Stage } from '@gatehouse/core/values';
