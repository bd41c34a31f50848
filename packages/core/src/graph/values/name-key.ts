/** Names of groups, aliases and roles as the service tells them apart: without regard to case. Blanks count. */
export function nameKey(name: string): string {
  if (/^[ -~]*$/.test(name)) return name.toLowerCase();
  // Letter by letter, as Go folds them: JavaScript looks at those around as well.
  return [...name].map((letter) => (letter === 'İ' ? 'i' : letter.toLowerCase())).join('');
}

/** Names of policies: there, blanks around them do not count either. */
export function policyKey(name: string): string {
  // `trim` has other blanks than Go.
  return nameKey(name.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, ''));
}

/** A policy where people are judged by it: the same name in another namespace is another policy. */
export interface PolicyName {
  /** Path of its namespace; empty for the root namespace. */
  namespace: string;
  name: string;
}

/** `gatehouse-deploy`, or `gatehouse-deploy of namespace team`. */
export function policyNameText({ namespace, name }: PolicyName): string {
  return namespace === '' ? name : `${name} of namespace ${namespace}`;
}
