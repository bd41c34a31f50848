export { signerWords, whomWords } from './condition-words.ts';
export { giverWords } from './giver-words.ts';
export { missingFromLogWords } from './missing-from-log-words.ts';
export { reasonWords } from './reason-words.ts';
export { keptReasonWords, refineRefusalWords } from './refine-words.ts';
export { noChangeWords, requestNoteWords } from './request-words.ts';
export { signInNoteWords } from './sign-in-note-words.ts';
export { usageReasonWords } from './usage-reason-words.ts';
