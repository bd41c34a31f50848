import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../../graph/change.ts';
import type { ResourceType } from '../../graph/resources/resources.ts';
import { composePieces } from './compose-place.ts';
import type { ComposedResource } from './composed-part.ts';
import { type LiveService, partsOf } from './live-parts.ts';
import { sideOf } from './planned-resource.ts';

/** Puts a change from one declared graph to another on top of what their service has, as a plan is put there. */
export function changeOnService(change: Change, live: LiveService): Change {
  // Other members of an external group are not declared, and stay.
  const members = new Map(partsOf(live.graph).map(({ key, extra }) => [key, extra && { extra }]));
  const [before, after] = [change.before, change.after].map(
    (graph) => new Map(partsOf(graph).map((part) => [part.key, { ...members.get(part.key), ...part }])),
  );
  const remade = new Set(change.replaced.map(({ name }) => name));
  const pieces = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])].map(
    (key): ComposedResource => {
      const [old, planned] = [before?.get(key), after?.get(key)];
      const isRemade = remade.has((planned ?? old)?.hangsOn.mount ?? '');
      const isReplaced = planned?.list === 'methods' && remade.has(planned.subject.name);
      const isKept = !isRemade && !isReplaced && isDeepStrictEqual(old, planned);
      const was = old && sideOf({ ...old.entry });
      return {
        resource: {
          address: '',
          type: (planned ?? old)?.subject.type as ResourceType,
          of: '',
          rotated: [],
          changes: !isKept,
          before: was,
          after: isKept ? was : planned && sideOf({ ...planned.entry }),
          ...(isReplaced && { replaced: 'delete-first' }),
        },
        old,
        planned: isKept ? old : planned,
      };
    },
  );
  const composed = composePieces(pieces, { ...change, live });
  composed.before.messages = change.before.messages;
  composed.after.messages = change.after.messages;
  return composed;
}
