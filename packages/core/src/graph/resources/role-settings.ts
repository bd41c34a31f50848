import { z } from 'zod';
import { shapeOf, spellingsOf } from './field.ts';
import { refusing, roleRefusals } from './refusals.ts';
import { roleFields } from './role.ts';
import { until } from './until.ts';

const spellings = spellingsOf(roleFields);

/**
 * `tokenPolicies` and `tokenTtl` are other spellings of `policies` and `ttl` (docs/inside/measured/sign-in.md#fields).
 */
function unifySpellings(given: unknown, context: z.RefinementCtx): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const entries = Object.entries(given);
  const own = (name: string) => Object.hasOwn(spellings, name);
  for (const [name] of entries.filter(([one]) => own(one) && Object.hasOwn(given, spellings[one] ?? ''))) {
    const message = `\`${spellings[name]}\` is the same and is given as well: keep one of the two`;
    context.addIssue({ code: 'custom', path: [name], message, input: given });
  }
  return Object.fromEntries([
    ...entries.filter(([name]) => own(name)).map(([name, value]) => [spellings[name], value]),
    ...entries.filter(([name]) => !own(name)),
  ]);
}

/** A role as a person writes it: what is left out comes from its provider kind. */
export function roleSettings<Extra extends z.ZodRawShape>(extra: Extra) {
  const fields = z.strictObject({
    /** Always lower case: the service lower-cases names, and mixed case would drift forever. */
    name: z
      .string()
      .min(1)
      .regex(
        /^\w([\w.-]*\w)?$/,
        'a role name has letters, digits, `_`, `-` and `.` only, and neither begins nor ends with `-` or `.`',
      )
      .toLowerCase()
      .describe('Name of the role; always lower case.'),
    ...shapeOf({ ...roleFields, until }),
    ...extra,
  });
  const own = roleRefusals.filter(({ isOfWhole }) => !isOfWhole);
  return z.preprocess(unifySpellings, refusing(fields, own));
}
