export {
  type JsonApiError,
  jsonApiError,
  refusal,
  unauthorized,
  unprocessable,
  unwieldyError,
} from './json-api-error.ts';
export { largestBody, limits } from './limits.ts';
export {
  enrichedTag,
  type Outcome,
  outcomeToWire,
  sentOutcome,
  severityOutcome,
  surplusOf,
  type Tag,
  TagLevel,
  wireOutcome,
} from './outcome.ts';
export {
  acceptsOutcomes,
  isVerification,
  parsePayload,
  payloadVersion,
  type ReceivedPayload,
  receivedPayload,
  type SentPayload,
  sentPayload,
  verificationToken,
} from './payload.ts';
export { planDigest } from './plan-digest.ts';
export {
  type FinalResult,
  isFinal,
  parseResult,
  type Result,
  ResultStatus,
  receivedResult,
  resultContentType,
  resultToWire,
} from './result.ts';
export {
  type DecisionKind,
  decisionKinds,
  decisionVerbs,
  decisionView,
  isCancelable,
  isEnd,
  isWaiting,
  type ListedRun,
  listedRun,
  newRun,
  type PlannedChange,
  type PlannedChanges,
  type PlannedFile,
  type RunDecision,
  RunStatus,
  type RunView,
  refusedRequest,
  runDecisions,
  runView,
  type Stored,
  type TaskView,
  tasksToAccept,
  taskView,
  verificationView,
} from './run.ts';
export { isSigned, sign, signatureHeaders } from './signature.ts';
export {
  applyResult,
  deadline,
  defaultTiming,
  expire,
  hasEnded,
  type TaskResult,
  TaskStatus,
  type Timing,
} from './task-result.ts';
