import { parse } from 'yaml';
import { declare } from '../../packages/core/src/environment/declared.ts';
import { endsOf } from '../../packages/core/src/environment/ends.ts';
import { kindNamed, kinds } from '../../packages/core/src/graph/kinds/kinds.ts';
import { parseInstant } from '../../packages/core/src/graph/values/instant.ts';
import { gateRules } from '../../packages/core/src/review/rules/gate.ts';
import { ruleOptions } from '../../packages/core/src/review/rules/rule-options.ts';
import {
  changeRules,
  graphRules,
  judgeChange,
  judgeGraph,
} from '../../packages/core/src/review/rules/rules.ts';
import { environmentOf } from './environment-block.ts';
import { read } from './markdown.ts';

/** The day of the examples. */
const now = parseInstant('2026-12-22T12:00:00Z');

export const rules = [...graphRules, ...changeRules, ...gateRules];

/** The sections of docs/rules.md, each from the id of its rule on. */
export const [, ...sections] = read('docs/rules.md')
  .replace(/^## .*\n/gm, '')
  .split(/^### /m);

export function sectionOf(id: string): string {
  return sections.find((text) => text.startsWith(`${id}\n`)) ?? '';
}

/** An example's blocks, by their names: `objects` and `fixed`, or `before` and `after` of a change. */
export function exampleOf(id: string): Record<string, string> {
  const blocks = sectionOf(id).matchAll(/^```yaml (objects|fixed|before|after)\n(.*?)^```$/gms);
  return Object.fromEntries([...blocks].map(([, name = '', text = '']) => [name, text]));
}

/** Rules whose section has an example, which needs no other test of what fires and what does not. */
export const withExample = rules
  .filter(({ id }) => Object.keys(exampleOf(id)).length > 0)
  .map(({ id }) => id);

/** Ids of the rules that object to an environment: the keys below `gatehouse:` that an example shows. */
export function objections(text: string): string[] {
  const environment = environmentFrom(text);
  return judgeGraph(declare(environment), { ...ruleOptions(environment), now }).map(({ rule }) => rule);
}

/** Ids of the rules that object to what changes between two environments. */
export function changeObjections(before: string, after: string): string[] {
  const [old, wanted] = [environmentFrom(before), environmentFrom(after)];
  const change = { before: declare(old), after: declare(wanted), replaced: [], rotated: [], unknown: [] };
  const ends = { ends: endsOf(wanted), endsBefore: endsOf(old) };
  return judgeChange(change, { ...ends, now }).map(({ rule }) => rule);
}

/** What is the same in every example is left out of them. */
function environmentFrom(text: string) {
  const given = parse(text) as { providers?: { kind: string; name: string }[] };
  const people = (given.providers ?? []).filter(
    ({ kind }) => kinds[kindNamed(kind) ?? 'oidc'].methodType === 'oidc',
  );
  const whole = {
    service: { address: 'https://secrets.example.com:8200' },
    clientSecrets: Object.fromEntries(people.map(({ name }) => [name, 'a secret'])),
    ...given,
  };
  const config = Object.fromEntries(Object.entries(whole).map(([key, value]) => [`gatehouse:${key}`, value]));
  return environmentOf(JSON.stringify({ config }));
}
