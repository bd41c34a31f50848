import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PluginError } from '../../src/plugins/plugin.ts';
import { nameOf, program, registerThings, type Thing } from '../random-program.ts';
import { Bed, type Outcome, orStopped, urn } from './registrations.ts';

function run(bed: Bed, things: (Thing | undefined)[], continueOnError = false): Promise<Outcome> {
  return bed.deploy({ continueOnError }, async (deployment) => {
    const registered = await registerThings(things, (each) => orStopped(deployment.register(each)));
    await deployment.finish(true);
    return registered;
  });
}

function expectConverged(bed: Bed, things: (Thing | undefined)[]): void {
  const wanted = things.flatMap((each, index) => (each === undefined ? [] : [nameOf(index, each.renamed)]));
  expect(bed.store.names().sort()).toEqual(wanted.toSorted());
  const created = things.flatMap((each, index) => (each === undefined ? [] : [`t${index}`]));
  expect([...bed.service.objects.values()].map((object) => object['name']).sort()).toEqual(created);
  expect(bed.store.rows.filter((row) => row.delete || row.pendingReplacement)).toEqual([]);
  expect(bed.store.pending).toEqual([]);
  for (const name of wanted) {
    const row = bed.store.row(name);
    expect(bed.service.objects.get(row.id ?? '')).toEqual(row.outputs);
    for (const dependency of row.dependencies) {
      expect(wanted).toContain(dependency.slice(urn('').length));
    }
  }
}

/** What would be replaced without it must have gone before, unless it has been replaced already. */
function expectUnused(bed: Bed, id: string): void {
  const replaced = new Set(bed.store.rows.filter((row) => row.delete).map((row) => row.id));
  for (const [user, { name, kind, place }] of bed.service.objects) {
    if (replaced.has(user) || (kind !== id && place !== id)) continue;
    throw new Error(`${id} is deleted while ${String(name)} hangs on it`);
  }
}

/** Whatever programs follow one another: the same seeds always, and this share of their cases. */
export function testConvergence(share: number): void {
  test('whatever the program was, it becomes what it is now, and then nothing changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(program, { minLength: 1, maxLength: 4 }), async (programs) => {
        const bed = new Bed();
        bed.service.intercept = (operation, _, __, id) => {
          if (operation === 'delete') expectUnused(bed, id);
        };
        for (const things of programs) {
          expect((await run(bed, things)).diagnostics).toEqual([]);
          expectConverged(bed, things);
        }
        const last = programs.at(-1) ?? [];
        const again = await run(bed, last);
        expect(again.taken.filter((step) => !step.startsWith('same '))).toEqual([]);
        expect(bed.store.changes).toEqual([]);
      }),
      { numRuns: share * 150, seed: 20 },
    );
  });

  test('after failures at any call, a run without failures ends in the same place', async () => {
    await fc.assert(
      fc.asyncProperty(
        program,
        program,
        fc.array(fc.boolean(), { maxLength: 20 }),
        fc.boolean(),
        async (before, after, fails, continueOnError) => {
          const bed = new Bed();
          await run(bed, before);
          const pending = [...fails];
          bed.service.intercept = () => {
            if (pending.shift()) throw new PluginError('not now');
          };
          await run(bed, after, continueOnError);
          bed.service.intercept = () => {};
          expect((await run(bed, after)).diagnostics).toEqual([]);
          expectConverged(bed, after);
        },
      ),
      { numRuns: share * 150, seed: 21 },
    );
  });

  test('after a kill at any record, the next run ends in the same place, with nothing made twice', async () => {
    await fc.assert(
      fc.asyncProperty(
        program,
        program,
        fc.nat(25),
        fc.boolean(),
        async (before, after, survives, reached) => {
          const bed = new Bed();
          bed.service.findCreated = (properties) => {
            const wanted = JSON.stringify(properties);
            return [...bed.service.objects]
              .filter(([, { computed: _, ...object }]) => JSON.stringify(object) === wanted)
              .map(([id]) => id);
          };
          await run(bed, before);
          const { store, service } = bed;
          const record = store.record.bind(store);
          const begin = store.begin.bind(store);
          let left = survives;
          const alive = () => {
            if (left-- <= 0) throw new Error('killed');
          };
          store.record = (change) => {
            alive();
            record(change);
          };
          store.begin = (operation) => {
            alive();
            begin(operation);
          };
          // A dead process calls nothing; the last call may or may not have reached the service.
          service.intercept = () => {
            if (left < 0 || (left === 0 && !reached)) throw new Error('killed');
          };
          await run(bed, after).catch(() => {});
          store.record = record;
          store.begin = begin;
          service.intercept = () => {};
          expect((await run(bed, after)).diagnostics.filter(({ severity }) => severity === 'error')).toEqual(
            [],
          );
          expectConverged(bed, after);
        },
      ),
      { numRuns: share * 200, seed: 22 },
    );
  });
}
