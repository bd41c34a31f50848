import { z } from 'zod';

/**
 * Reads claim mappings given once, as a map, or repeatedly, as a list of maps or of `from=to`
 * (docs/inside/specification.md B2). Whatever could be meant in two ways is refused: a claim given twice, both forms in
 * one list, several in one text.
 */
export const claimMappings = z.preprocess(
  (given, context) => {
    const refuse = (path: PropertyKey[], message: string) =>
      context.addIssue({ code: 'custom', path: path as (string | number)[], message, input: given });
    const mappings = Array.isArray(given) ? listed(given, refuse) : entriesOf(given, []);
    // The schema refuses other shapes.
    if (mappings === undefined) return given;
    const claims = new Set<string>();
    for (const { claim, name, path } of mappings) {
      if (typeof name !== 'string') continue;
      if (claim === '' || name === '') refuse(path, 'a claim and the name that it gets must not be empty');
      else if (claims.has(claim)) refuse(path, `the claim ${JSON.stringify(claim)} is mapped twice`);
      claims.add(claim);
    }
    return Object.fromEntries(mappings.map(({ claim, name }) => [claim, name]));
  },
  z.record(z.string(), z.string()),
);

interface Mapping {
  claim: string;
  name: unknown;
  path: PropertyKey[];
}

type Refuse = (path: PropertyKey[], message: string) => void;

/** The mappings of a list; undefined where an element is neither a map nor a text. */
function listed(given: unknown[], refuse: Refuse): Mapping[] | undefined {
  const isText = (one: unknown) => typeof one === 'string';
  if (!given.every((one) => (isText(one) ? one.includes('=') : entriesOf(one, []) !== undefined)))
    return undefined;
  const odd = given.findIndex((one) => isText(one) !== isText(given[0]));
  if (odd > 0)
    refuse([odd], 'the mappings above are of another form: write all as maps, or all as `claim=name`');
  return given.flatMap((one, index): Mapping[] => {
    if (!isText(one)) return entriesOf(one, [index]) ?? [];
    const at = one.indexOf('=');
    const name = one.slice(at + 1);
    if (/,.*=/.test(name)) refuse([index], 'one mapping in each text: write a list');
    return [{ claim: one.slice(0, at), name, path: [index] }];
  });
}

function entriesOf(given: unknown, path: PropertyKey[]): Mapping[] | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
  return Object.entries(given).map(([claim, name]) => ({ claim, name, path: [...path, claim] }));
}
