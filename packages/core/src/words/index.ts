export { signerWords, whomWords } from './condition-words.ts';
export { giverWords } from './giver-words.ts';
export { reasonWords } from './reason-words.ts';
export { signInNoteWords } from './sign-in-note-words.ts';
