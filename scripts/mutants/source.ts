import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { type Mutation, mutationsOf } from './mutations.ts';

/** A source with all of its mutations in it, each behind its number. */
export interface MutatedSource {
  file: string;
  /** The number of its first mutation. */
  first: number;
  mutations: Mutation[];
  /** JavaScript. */
  code: string;
}

const active = new URL('active.ts', import.meta.url).href;

/** @param root where the paths begin */
export function mutatedSources(root: string, files: string[]): MutatedSource[] {
  const sources: MutatedSource[] = [];
  let first = 1;
  for (const file of files) {
    const source = mutatedSource(file, readFileSync(`${root}${file}`, 'utf8'), first);
    sources.push(source);
    first += source.mutations.length;
  }
  return sources;
}

export function mutatedSource(file: string, text: string, first: number): MutatedSource {
  // Types become blanks: every place stays where it is.
  const code = stripTypeScriptTypes(text, { mode: 'strip' });
  const mutations = mutationsOf(code, text);
  const importing = `import { is as __is } from ${JSON.stringify(active)};`;
  return { file, first, mutations, code: importing + switchedCode(code, mutations, first) };
}

function switchedCode(code: string, mutations: Mutation[], first: number): string {
  const sorted = mutations
    .map((mutation, at) => ({ ...mutation, is: `__is(${first + at})` }))
    .sort((a, b) => a.start - b.start || b.end - a.end);
  let next = 0;
  // A mutation lies inside of another, or apart from it.
  const between = (from: number, to: number): string => {
    let text = '';
    let at = from;
    for (let one = sorted[next]; one !== undefined && one.start < to; one = sorted[next]) {
      next += 1;
      text += code.slice(at, one.start) + one.switched(between(one.start, one.end), one.is);
      at = one.end;
    }
    return text + code.slice(at, to);
  };
  return between(0, code.length);
}
