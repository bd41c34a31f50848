// `npm run mutants`: changes the sources in one place at a time, and tells which changes no test notices.
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { reportText } from './mutants/report.ts';
import { tryMutations } from './mutants/try-mutations.ts';

const usage = `npm run mutants -- [PATH…] [--sample NUMBER] [--seed SEED] [--at-least PERCENT] [--seconds SECONDS] [--json]
  PATH: files or folders, or packages/core/src/access/decide.ts:80 for one line. Default: all that scripts/mutants/try-mutations.ts lists.
  --sample: so many of the mutations, and all of lines; --seed repeats a sample, as GATEHOUSE_MUTANTS_SEED does.
  --seconds: of tests for one mutation, the quickest first (6).
  Exit status 2: fewer are noticed or explained than --at-least (92), or an explanation is stale.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: process.env['GATEHOUSE_MUTANTS_SEED'] ?? String(Date.now() % 100_000) },
    'at-least': { type: 'string', default: '92' },
    seconds: { type: 'string', default: '6' },
    workers: { type: 'string', default: String(Math.min(2, availableParallelism())) },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const [sample, seed, atLeast, workers, seconds] = [
  values.sample ?? 'Infinity',
  values.seed,
  values['at-least'],
  values.workers,
  values.seconds,
].map(Number) as [number, number, number, number, number];

if (values.help || [sample, seed, atLeast, workers, seconds].some(Number.isNaN)) {
  console.error(usage);
  process.exitCode = values.help ? 0 : 1;
} else {
  if (sample !== Infinity) console.error(`Seed ${seed}`);
  const root = fileURLToPath(new URL('..', import.meta.url));
  const log = (line: string) => console.error(line);
  const report = await tryMutations({ root, paths: positionals, sample, seed, workers, seconds, log });
  console.log(values.json ? JSON.stringify(report, undefined, 2) : reportText(report));
  process.exitCode = report.percent < atLeast || report.stale.length > 0 ? 2 : 0;
}
