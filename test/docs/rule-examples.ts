import { parse } from 'yaml';
import { declare } from '../../core/model/declared.ts';
import { kindNamed, kinds } from '../../core/model/kinds/kinds.ts';
import { ruleOptions } from '../../core/rules/rule-options.ts';
import { changeRules, graphRules, judgeChange, judgeGraph } from '../../core/rules/rules.ts';
import { environmentOf } from './environment-block.ts';
import { read } from './markdown.ts';

export const rules = [...graphRules, ...changeRules];

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
  return judgeGraph(declare(environment), ruleOptions(environment)).map(({ rule }) => rule);
}

/** Ids of the rules that object to what changes between two environments. */
export function changeObjections(before: string, after: string): string[] {
  const [old, wanted] = [before, after].map((text) => declare(environmentFrom(text)));
  if (old === undefined || wanted === undefined) return [];
  const change = { before: old, after: wanted, replaced: [], rotated: [], unknown: [] };
  return judgeChange(change).map(({ rule }) => rule);
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
