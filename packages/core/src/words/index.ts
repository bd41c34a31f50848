export { giverWords } from './giver-words.ts';
export { reasonWords } from './reason-words.ts';
