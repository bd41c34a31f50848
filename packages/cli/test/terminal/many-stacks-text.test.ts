import { expect, test } from '@jest/globals';
import { GatehouseError } from '../../../core/src/graph/values/errors.ts';
import type { OfStack } from '../../src/open/stack-outcomes.ts';
import { type FoldedForms, manyStacksText } from '../../src/terminal/many-stacks-text.ts';
import { styleFor } from '../../src/terminal/style.ts';
import type { ExitCode } from '../../src/terminal/terminal.ts';

interface Found {
  shown: string;
  hidden?: string;
  code?: ExitCode;
  namespace?: string;
}

const forms: FoldedForms<Found> = {
  content: (found) => found,
  text: ({ shown }, heading) => `${heading}: ${shown}\n`,
  exitCode: ({ code = 0 }) => code,
};

const of = (stack: string, result: Found, address = `https://${stack}.example:8200`): OfStack<Found> => ({
  stack,
  result,
  place: { address: new URL(address), namespace: `team-${stack}` },
});
const textOf = (...found: OfStack<Found>[]) => manyStacksText(found, forms, styleFor({}, {}));

test('what is the same but for name, address and namespace of the stack is said once, in general words', () => {
  const about = (stack: string) =>
    of(stack, {
      shown: `https://${stack}.example:8200/ui?namespace=team-${stack} urn:pulumi:${stack}::p::t::n Pulumi.${stack}.yaml:1:2`,
      namespace: `team-${stack}`,
    });
  expect(textOf(about('eu'), about('us'))).toBe(
    `the same in 2 stacks (eu, us): <address>/ui?namespace=<namespace> urn:pulumi:<stack>::p::t::n Pulumi.<stack>.yaml:1:2\n\n2 stacks; the same in 2\n`,
  );
});

test.each(['in namespace "team-NAME" of it', 'namespace: "team-NAME"', 'namespace: team-NAME'])(
  'its namespace is general in a text that has `%s`',
  (words) => {
    const about = (stack: string) => of(stack, { shown: words.replace('NAME', stack) });
    expect(textOf(about('eu'), about('us'))).toContain('2 stacks; the same in 2\n');
    const below = ['eu', 'us'].map((stack) => of(stack, { shown: words.replace('NAME', `${stack}/x`) }));
    expect(textOf(...below)).toContain('2 stacks; each differs');
  },
);

test.each([
  ['is not printed', { hidden: 'a' }, { hidden: 'b' }],
  ['is the exit code alone', { code: 0 }, { code: 2 }],
  ['is a name made of that of the stack', { hidden: 'eu-read' }, { hidden: 'us-read' }],
  [
    'is the address of a third service',
    { hidden: 'https://eu.example:82000' },
    { hidden: 'https://us.example:82000' },
  ],
  ['is another namespace', { namespace: 'team-eu/x' }, { namespace: 'team-us/x' }],
  ['is the namespace of the other stack', { namespace: 'team-eu' }, { namespace: 'team-eu' }],
  ['is what the general words are', { hidden: '<address>' }, { hidden: 'https://us.example:8200' }],
] as [string, Partial<Found>, Partial<Found>][])(
  'a difference that %s is never folded away',
  (_, one, other) => {
    const text = textOf(of('eu', { shown: 'same', ...one }), of('us', { shown: 'same', ...other }));
    expect(text).toContain('eu: same');
    expect(text).toContain('us: same');
    expect(text).toContain('2 stacks; each differs');
  },
);

test('the count names those that differ, and the reason of those that were not read stands once', () => {
  const problem = (stack: string): OfStack<Found> => ({
    stack,
    place: { address: new URL(`https://${stack}.example`) },
    problem: new GatehouseError({ code: 'service_unreachable', what: `https://${stack}.example is away` }),
  });
  const text = textOf(
    ...['a', 'b', 'c'].map((name) => of(name, { shown: 'same' })),
    of('d', { shown: 'other' }),
    problem('e'),
    problem('f'),
  );
  expect(text).toContain('? e, f: <address> is away\n');
  expect(text).toMatch(/6 stacks; the same in 3; differs in 1 \(d\); 2 not read\n$/);
  expect(textOf(problem('e'))).toBe('? e: https://e.example is away\n\n1 stack; 1 not read\n');
});
