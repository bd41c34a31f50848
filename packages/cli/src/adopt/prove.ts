import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCrypter, type DeploymentResult, type Engine, parseUrn, type Stack } from '@gatehouse/engine';
import { changeOf, hasChanges } from '../deployment/change-tree.ts';
import { type ImportFile, importFile, type ServiceIds } from './import-file.ts';

/** Whether an import takes over all that the environment declares, and leaves nothing to do. */
export interface Proof {
  /** How many resources the import takes over. */
  imported: number;
  isProven: boolean;
  /** Why it is not proven, in words. */
  problems: string[];
}

/**
 * Imports everything into a state of its own, which is thrown away, and previews again. Nothing is written to the
 * service: it stops before anything would be created or changed.
 *
 * @param write keeps the import, and reads again what was kept: URN → id
 */
export async function prove(
  stack: Stack,
  ids: ServiceIds,
  env: NodeJS.ProcessEnv,
  write: (imports: ImportFile) => Promise<Record<string, string>>,
): Promise<Proof> {
  const home = await mkdtemp(join(tmpdir(), 'gatehouse-adopt-'));
  try {
    const engine = await throwawayEngine(join(home, 'state.sqlite'), env);
    const run = (verb: 'preview' | 'up', imports?: Record<string, string>) =>
      engine.run({
        verb,
        dryRun: verb === 'preview',
        stack: { ...stack, home },
        refresh: false,
        targets: [],
        imports,
      });
    const plan = await run('preview');
    const byUrn = await write(importFile(plan.steps, ids));
    const imported = Object.keys(byUrn).length;
    const planProblems = deploymentProblems(plan);
    if (planProblems.length > 0) return { imported, isProven: false, problems: planProblems };
    const importPlan = await run('preview', byUrn);
    const notTakenOver = importPlan.steps.filter((step) => step.newState?.custom && !isTakenOver(step));
    const problems = [
      ...deploymentProblems(importPlan),
      ...notTakenOver.map(({ urn }) => `${parseUrn(urn).name} would be made or changed, not taken over`),
    ];
    if (problems.length > 0) return { imported, isProven: false, problems };
    const importProblems = deploymentProblems(await run('up', byUrn));
    if (importProblems.length > 0) return { imported, isProven: false, problems: importProblems };
    const planAfter = await run('preview');
    const changing = planAfter.steps.filter((step) => !['same', 'read'].includes(changeOf(step)));
    return {
      imported,
      isProven: planAfter.succeeded && !hasChanges(planAfter.steps),
      problems: [
        ...deploymentProblems(planAfter),
        ...changing.map(({ urn }) => `${parseUrn(urn).name} would be changed`),
      ],
    };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function isTakenOver({ op, type }: DeploymentResult['steps'][number]): boolean {
  return op === 'import' || op === 'same' || type.startsWith('pulumi:');
}

function deploymentProblems({ diagnostics, succeeded }: DeploymentResult): string[] {
  const problems = diagnostics
    .filter(({ severity, code }) => severity === 'error' || code === 'import_differs')
    .map(({ message, urn }) => `${urn === undefined ? '' : `${parseUrn(urn).name}: `}${message.trim()}`);
  return succeeded || problems.length > 0 ? problems : ['the program could not be run'];
}

async function throwawayEngine(path: string, env: NodeJS.ProcessEnv): Promise<Engine> {
  const [{ LocalEngine }, { openStateStore }, { randomBytes }] = await Promise.all([
    import('@gatehouse/engine/local'),
    import('@gatehouse/engine/state'),
    import('node:crypto'),
  ]);
  const crypter = await createCrypter(randomBytes(16).toString('hex'));
  return new LocalEngine({ env, openStore: () => openStateStore(path, crypter) });
}
