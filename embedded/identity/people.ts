import type { ProviderKind } from '../../core/model/kinds/kinds.ts';

/** Someone who can sign in at the embedded identity provider. */
export interface Person {
  /** What they sign in with; also the `sub` of their tokens. */
  username: string;
  email: string;
  /** Display name. */
  name: string;
  /** Names of their groups, in the claim that the provider kind uses for them. */
  groups: string[];
  /** What the tokens of one provider kind say in addition, or instead: object ids of groups, for example. */
  claims: Partial<Record<ProviderKind, Record<string, unknown>>>;
}

/** Who can sign in unless others are given. The dev stack has groups of these names. */
export const developmentPeople: Person[] = [
  {
    username: 'alice',
    email: 'alice@example.com',
    name: 'Alice Example',
    groups: ['admins', 'developers'],
    claims: {},
  },
  { username: 'bob', email: 'bob@example.com', name: 'Bob Example', groups: ['developers'], claims: {} },
];
