import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { providerKinds } from '../../core/model/kinds/kinds.ts';
import { GatehouseError } from '../../core/model/values/errors.ts';

const person = z.strictObject({
  /** What one signs in with; also the `sub` of the person's tokens. */
  username: z.string().regex(/^[\w.@-]+$/, 'a username has letters, digits, `_`, `.`, `@` and `-` only'),
  email: z.email(),
  /** Display name. */
  name: z.string().min(1),
  /** Names of the groups, in the claim that the provider kind uses for them. Defaults to none. */
  groups: z.array(z.string().min(1)).default([]),
  /**
   * Further claims of the tokens of one provider kind, for example object ids of groups. They take precedence.
   * Default to none.
   */
  claims: z.partialRecord(z.enum(providerKinds), z.record(z.string(), z.unknown())).default({}),
});

const people = z.array(person).superRefine((all, context) => {
  all.forEach(({ username }, index) => {
    if (all.findIndex((other) => other.username === username) === index) return;
    context.addIssue({ code: 'custom', path: [index, 'username'], message: `${username} is declared twice` });
  });
});

/** Someone who can sign in at the embedded identity provider. */
export type Person = z.output<typeof person>;

/** Reads people from a YAML or JSON file, a list. Error: `people_invalid`, with every problem in it. */
export async function readPeople(file: string): Promise<Person[]> {
  let content: unknown;
  try {
    content = parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw new GatehouseError({
      code: 'people_invalid',
      where: file,
      what: `the file with people cannot be read: ${cause instanceof Error ? cause.message : cause}`,
      cause,
    });
  }
  const result = people.safeParse(content);
  if (result.success) return result.data;
  throw new GatehouseError({
    code: 'people_invalid',
    where: file,
    what: 'these are not people who can sign in',
    given: result.error.issues
      .map(({ path, message }) => `${path.map(String).join('.') || '(the file)'}: ${message}`)
      .join('; '),
    allowed: 'a list of { username, email, name, groups, claims }',
  });
}

/** Who can sign in where nobody else is named. The dev stack has groups of these names. */
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
