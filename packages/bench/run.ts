import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { type Bench, ending, type Figure, figuresText, type Options } from './frame.ts';

/** Loaded one by one: what another bench needs would be garbage to collect. */
const benches: Record<string, () => Promise<Bench>> = {
  start: async () => (await import('./commands.ts')).start,
  preview: async () => (await import('./commands.ts')).preview,
  up: async () => (await import('./up.ts')).up,
  review: async () => (await import('./commands.ts')).review,
  'who-can': async () => (await import('./who-can.ts')).whoCan,
  drift: async () => (await import('./drift.ts')).drift,
  many: async () => (await import('./many.ts')).many,
  usage: async () => (await import('./usage.ts')).usage,
  'run-tasks': async () => (await import('./run-tasks.ts')).runTasks,
};

/** @throws Error for a bench that does not exist */
export async function measure(name: string, options: Options): Promise<Figure[]> {
  const bench = Object.hasOwn(benches, name) ? await benches[name]?.() : undefined;
  if (bench !== undefined) return await ending((atEnd) => bench(options, atEnd));
  throw new Error(`usage: npm run bench -- NAME [--n N] [--rounds ROUNDS] [--seconds SECONDS] [--rate RATE]
  NAME: ${Object.keys(benches).join(', ')}, all`);
}

if (import.meta.main) {
  const number = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { n: number, rounds: number, seconds: number, rate: number },
  });
  const options = Object.fromEntries(Object.entries(values).map(([name, text]) => [name, Number(text)]));
  const isWrong = Object.values(options).some((value) => !(value > 0));
  const [name = ''] = isWrong ? [] : positionals;
  console.log(`${availableParallelism()} cores (${cpus()[0]?.model.trim()}), Node ${process.versions.node}`);
  for (const one of name === 'all' ? Object.keys(benches) : [name]) {
    console.log(`\n${one}\n${figuresText(await measure(one, options))}`);
  }
}
