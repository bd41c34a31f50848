import {
  allLists,
  type MethodList,
  namesPerson,
  type RoleNoun,
  roleNouns,
  signsInByItself,
} from './other-methods.ts';

// What follows from the lists of auth methods that are read (`other-methods.ts`): their paths, and their types in plans.

const readAt = ({ path, read = path }: MethodList): string => read;
const folderOf = (path: string): string => path.replace(/\/.*$/, '');
const lastOf = (path: string): string => path.replace(/^.*\//, '');
/** Words as alternatives, without an `s` at their ends: `role|user`. */
const stems = (words: readonly string[]): string =>
  [...new Set(words.map((word) => word.replace(/s$/, '')))].join('|');

/** Where lists and their entries are, below a mount, as patterns of a policy: `users/+`, and `map/+/+` for all of a folder. */
export const listPatterns: readonly string[] = [
  ...new Set(
    allLists
      .flatMap((list) => [list.path, readAt(list)])
      .map((path) => path.replace(/\/[^/]+/g, '/+'))
      .map((list) => `${list}/+`),
  ),
];

/** Alternatives for the segment of a path below a mount that a list, or the folder of lists, is at: `roles?`. */
export const listSegments = `(?:${stems(allLists.flatMap((list) => [list.path, readAt(list)]).map(folderOf))})s?`;

const segmentsOf = (lists: readonly MethodList[]) => `(?:${stems(lists.map(readAt).map(lastOf))})s?`;

/** Alternatives for the segment before the name of a person: `users?`. */
export const personSegments = segmentsOf(allLists.filter(({ noun }) => namesPerson(noun)));

const principal = new RegExp(
  `^auth/.+/${segmentsOf(allLists.filter(({ noun }) => signsInByItself(noun)))}/[^/]+$`,
);

/** Whether one signs in by what is written at a path, whatever the type of its mount. */
export const isPrincipalPath = (path: string): boolean => principal.test(path);

const wordsOf = (name: string): string => name.replace(/^vault_/, '').replaceAll('_', ' ');
const ownTypes = new Map(
  allLists.flatMap(({ type, noun, terraform }) =>
    terraform === undefined ? [] : [[terraform, { type, noun }] as const],
  ),
);
const endings = new Set(allLists.flatMap(({ noun, terraform }) => (terraform === undefined ? noun : [])));

/** Types in Terraform of what methods have, also of a method that is not known. */
export const listTypes: readonly (string | RegExp)[] = [
  ...ownTypes.keys(),
  new RegExp(`^vault_(\\w+)_auth_backend(_(?:${[...endings].join('|')}))$`),
];

const byWords = new Map([...ownTypes].map(([terraform, at]) => [wordsOf(terraform), at]));

/** What a type of resources is of, by its words: `kubernetes role`, `github team`. */
export function listInWords(words: string): { type: string; noun: RoleNoun | undefined } {
  const end = words.lastIndexOf(' ');
  const noun = roleNouns.find((noun) => noun === words.slice(end + 1));
  return byWords.get(words) ?? { type: words.slice(0, end), noun };
}
