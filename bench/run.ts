import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { type Figure, figuresText } from './figure.ts';

interface Options {
  roles?: number;
  rounds?: number;
  memory?: number;
  seconds?: number;
  rate?: number;
}

/** Benches, loaded on demand. */
const benches: Record<string, () => Promise<(options: Options) => Promise<Figure[]>>> = {
  start: async () => (await import('./start.ts')).start,
  preview: async () => (await import('./preview.ts')).preview,
  up: async () => (await import('./up.ts')).up,
  review: async () => (await import('./review.ts')).review,
  access: async () => (await import('./access.ts')).access,
  login: async () => (await import('./login.ts')).login,
  overhead: async () => (await import('./overhead.ts')).overhead,
  package: async () => (await import('./package.ts')).packedFile,
  rotate: async () => (await import('./rotate.ts')).rotate,
  drift: async () => (await import('./drift.ts')).drift,
  'run-tasks': async () => {
    const { runTasks } = await import('./run-tasks.ts');
    return ({ seconds, rate }) =>
      runTasks({
        sustained: { ...(seconds !== undefined && { seconds }), ...(rate !== undefined && { rate }) },
      });
  },
};

const usage = `npm run bench -- NAME [--n ROLES] [--rounds ROUNDS] [--memory LOGINS] [--seconds SECONDS] [--rate REQUESTS]
  NAME: ${Object.keys(benches).join(', ')}, all`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    n: { type: 'string' },
    rounds: { type: 'string' },
    memory: { type: 'string' },
    seconds: { type: 'string' },
    rate: { type: 'string' },
  },
});
const [asked = ''] = positionals;
const names = asked === 'all' ? Object.keys(benches) : [asked];
const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));
const options: Options = {
  roles: numberOf(values.n),
  rounds: numberOf(values.rounds),
  memory: numberOf(values.memory),
  seconds: numberOf(values.seconds),
  rate: numberOf(values.rate),
};

const positive = (value: number | undefined) => value === undefined || (Number.isInteger(value) && value > 0);
if (names.some((name) => !Object.hasOwn(benches, name)) || !Object.values(options).every(positive)) {
  console.error(usage);
  process.exitCode = 1;
} else {
  console.log(
    `${availableParallelism()} cores (${cpus()[0]?.model.trim()}), Node ${process.versions.node}\n`,
  );
  for (const name of names) {
    const bench = await benches[name]?.();
    console.log(`${name}\n${figuresText((await bench?.(options)) ?? [])}`);
  }
}
