import { isDeepStrictEqual } from 'node:util';
import type { Principals } from '../../../../src/access/access-change.ts';
import { everyPrincipal, principalsOf } from '../../../../src/access/principals.ts';
import { composeChanges } from '../../../../src/review/plan/compose-change.ts';
import type { LiveService } from '../../../../src/review/plan/live-service.ts';
import type { PlanResources } from '../../../../src/review/plan/planned-resource.ts';
import type { Review } from '../../../../src/review/review.ts';
import { isFilled } from './asked.ts';
import type { Requests } from './service.ts';

/** A request that a review says is newly allowed, with the policies that are held on each side. */
export interface Witness {
  who: string;
  path: string;
  /** What is gained there, by one or another of the principals' ways to hold policies: one of them by this one. */
  capabilities: string[];
  before: string[];
  after: string[];
  /** Policies among them whose texts are in the other workspace: what these say may be otherwise. */
  elsewhere: string[];
}

/** Witnesses of a review that can be shown on a service: by policies alone, at once, on a path of its own. */
export function witnessesOf(plan: PlanResources, review: Review, live?: LiveService): Witness[] {
  const all = composeChanges(plan, live).flatMap(({ change }) => everyPrincipal(principalsOf(change)));
  const texts = new Set(
    plan.resources.flatMap(({ type, before: old, after }) =>
      type === 'policy' ? [old?.fields['name'], after?.fields['name']] : [],
    ),
  );
  // Who can sign in before and after; a role that lets in others is there more than once.
  const kept = all.filter(({ change }) => change.kind === 'changed');
  const sides = new Map([...all, ...kept].map((one) => [JSON.stringify(one.by), one]));
  // Of one entity at two mounts there are several with the same words.
  const several = new Set(
    [...Map.groupBy(kept, ({ by }) => JSON.stringify(by))].flatMap(([by, same]) =>
      new Set(same.map(listsOf)).size > 1 ? by : [],
    ),
  );
  return review.access.flatMap((access): Witness[] => {
    const { kind, method, name, picked } = access.principals;
    const named = all.filter(
      (one) =>
        one.change.kind === access.kind &&
        one.kind === kind &&
        one.name === name &&
        isDeepStrictEqual(one.change.principals.picked, picked) &&
        (one.method ?? '') === method,
    );
    const [source] = kind === 'policy' ? [{ before: [name], after: [name] }] : named;
    if (source === undefined || new Set(named.map(listsOf)).size > 1) return [];
    const together = (access.together?.[0] ?? []).map((by) => JSON.stringify(by));
    return access.paths.flatMap(({ path: pattern, witness: path, gained, from }) => {
      const isShown = from === undefined && !/[{}+*]|\/\//.test(path);
      const asked = path.endsWith('/') ? ['list'] : ['read', 'update', 'delete'];
      const capabilities = gained.filter((one) => asked.includes(one));
      if (together.some((by) => several.has(by))) return [];
      if (!isShown || pattern.includes('{{') || capabilities.length === 0) return [];
      const held = (side: 'before' | 'after') => [
        ...new Set([...source[side], ...together.flatMap((by) => sides.get(by)?.[side] ?? [])]),
      ];
      const who = `${kind} ${name}`;
      const [before, after] = [held('before'), held('after')];
      const elsewhere = [...new Set([...before, ...after])].filter(
        (one) => !texts.has(one) && one !== 'default',
      );
      return [{ who, path, capabilities, before, after, elsewhere }];
    });
  });
}

function listsOf({ before, after }: Principals): string {
  return JSON.stringify([before, after]);
}

const methods: Record<string, string> = { read: 'GET', update: 'POST', delete: 'DELETE', list: 'LIST' };

/** Which of the requests a token of these policies may make. A path outside of the world's mount is asked about only. */
export async function passing(
  requests: Requests,
  { path, capabilities }: Witness,
  policies: string[],
  mount: string,
): Promise<string[]> {
  const { auth } = await requests.send('POST', 'auth/token/create', { policies, no_default_policy: true });
  const token = auth?.client_token;
  if (token === undefined || policies.length === 0) return [];
  if (!path.startsWith(`${mount}/`) && !path.endsWith('/')) {
    const { data } = await requests.send('POST', 'sys/capabilities', { token, paths: [path] });
    const may = (data[path] ?? []) as string[];
    return capabilities.filter((one) => may.includes(one) || may.includes('root'));
  }
  const found: string[] = [];
  for (const capability of capabilities) {
    // What is updated has to be there. A rule may allow no field, or require one: the request is made without and with it.
    if (capability !== 'list') await requests.write(path, { v: 'x' });
    for (const hasField of [false, true]) {
      const url = hasField && capability === 'read' ? `${path}?v=x` : path;
      const body = capability === 'update' ? { ...(hasField && { v: 'x' }) } : undefined;
      const { status } = await requests.send(methods[capability] ?? '', url, body, token);
      if (status !== 403) found.push(`${capability}${hasField ? ' with a field' : ''}`);
    }
  }
  // The people are asked next, for what was there before.
  if (!path.endsWith('/'))
    await (isFilled(path) ? requests.write(path, { v: 'x' }) : requests.send('DELETE', path));
  return found;
}
