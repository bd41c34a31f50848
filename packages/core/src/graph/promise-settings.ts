import { z } from 'zod';
import { capabilities } from './values/capability.ts';
import { jsonIn } from './values/json.ts';
import { textOf } from './values/loose-values.ts';

/** Principals of a promise, as written: `group admins`, `role cluster/web`, `anyone`. */
const principal = z
  .string()
  .regex(
    /^(?:group \S.*|role \S.*|anyone|someone)$/,
    'must be `group NAME`, `role NAME` or `role METHOD/NAME`',
  );

const list = z.array(principal).min(1, 'must name at least one');

/** What must stay so through every change. Exactly one of `only`, `never` and `always` is given. */
export const promiseSettings = z
  .strictObject({
    /** No one else may have any of the capabilities on any of the paths. */
    only: list.optional(),
    /** None of these may ever have any of them. `anyone` stands for everybody. */
    never: list.optional(),
    /** Each of these must have all of them on all of the paths. `someone` stands for anybody at all. */
    always: list.optional(),
    /** Capabilities of policies. In `only` and `never`, `update` holds for `patch` too, and `list` for `scan`. */
    can: z.array(z.enum(capabilities)).min(1, 'must have at least one capability'),
    /** A path, or a pattern as policies have it: `+` for a segment, `*` at the end. */
    on: z
      .string()
      .min(1)
      .refine((path) => !path.startsWith('/'), 'must not begin with a slash')
      .refine(
        (path) => !/\*.|\+\*$|\{\{/.test(path),
        'takes a * only at its end, + for a segment, and no templates',
      ),
    /** The reason, shown when it is broken. */
    because: z.string().trim().min(1, 'give the reason'),
  })
  .superRefine((promise, context) => {
    const kinds = promiseKinds.filter((kind) => promise[kind] !== undefined);
    if (kinds.length !== 1) context.addIssue('must have exactly one of only, never and always');
    const wrong: Record<PromiseKind, string[]> = {
      only: ['anyone', 'someone'],
      never: ['someone'],
      always: ['anyone'],
    };
    for (const kind of kinds) {
      for (const [index, name] of (promise[kind] ?? []).entries()) {
        if (!wrong[kind].includes(name)) continue;
        const fix =
          kind === 'only' ? 'name groups and roles' : `write ${name === 'anyone' ? 'someone' : 'anyone'}`;
        context.addIssue({
          code: 'custom',
          path: [kind, index],
          message: `\`${name}\` says nothing here; ${fix}`,
        });
      }
    }
  });

export const promiseKinds = ['only', 'never', 'always'] as const;
type PromiseKind = (typeof promiseKinds)[number];
/** What an environment promises. */
export type Promised = z.output<typeof promiseSettings>;

/** Whom a promise is about. */
export type PromisedTo =
  | { kind: 'group'; name: string }
  | { kind: 'role'; name: string; method?: string }
  | { kind: 'everybody' };

/** Reads `group admins`, `role cluster/web`, `anyone`. */
export function principalFrom(text: string): PromisedTo {
  const [, kind, rest = ''] = /^(group|role) (.*)$/.exec(text.trim()) ?? [];
  if (kind === undefined) return { kind: 'everybody' };
  const path = textOf(rest.startsWith('"') ? jsonIn(rest) : undefined) ?? rest.trim();
  if (kind === 'group') return { kind, name: path };
  const [, method, name = path] = /^(.+)\/(.*)$/.exec(path) ?? [];
  return { kind: 'role', name, ...(method !== undefined && { method }) };
}

/** A promise in words: `only group admins can update on secret/data/prod/*`. */
export function promiseText(promise: Promised): string {
  const [kind = 'only'] = promiseKinds.filter((candidate) => promise[candidate] !== undefined);
  return `${kind} ${(promise[kind] ?? []).join(', ')}: ${promise.can.join(', ')} on ${promise.on}`;
}
