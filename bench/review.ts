import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './bench-project.ts';
import { atMost, type Figure, figure, median } from './figure.ts';
import { largePlan } from './large-plan.ts';
import { measureProcess } from './processes.ts';

interface ReviewOptions {
  /** Resources of the plan. Defaults to 5,000. */
  roles?: number;
  /** Defaults to 5. */
  rounds?: number;
}

/** The process `gatehouse review PLAN.json`, over a Terraform plan in which every third resource changes. */
export async function review({ roles = 5000, rounds = 5 }: ReviewOptions): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  try {
    const path = join(folder, 'plan.json');
    await writeFile(path, JSON.stringify(largePlan(roles)));
    const args = [join(root, 'cli', 'gatehouse.mjs'), 'review', path, '--json', '--fail-on', 'error'];
    const runs = [];
    for (let round = 0; round < rounds; round++) runs.push(await measureProcess({ args, cwd: folder }));
    const report = JSON.parse(runs[0]?.stdout ?? '{}');
    return [
      atMost(`review of ${roles} resources`, median(runs.map(({ seconds }) => seconds)), 2, ' s'),
      atMost('largest memory', Math.max(...runs.map(({ peakBytes }) => peakBytes)) / 1e6, 300, ' MB'),
      figure('size of the plan', (await stat(path)).size / 1e6, ' MB'),
      figure('access changes found', report.access.length, ''),
      figure('findings', report.findings.length, ''),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
