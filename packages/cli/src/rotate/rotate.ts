import { type AuthMethod, methodSubject, subjectWithin } from '@gatehouse/core/graph';
import { hasFindingsAt, type Review } from '@gatehouse/core/review';
import { addAll, GatehouseError } from '@gatehouse/core/values';
import type { DeploymentEvent, DeploymentResult, Engine, Stack } from '@gatehouse/engine';
import { requireWritable, writeSecret } from '@gatehouse/engine/stack-files';
import { type ChangeNode, changeTree } from '../deployment/change-tree.ts';
import { type Approval, planStack, up } from '../deployment/deployment.ts';
import { driftTargets } from '../drift/fix-drift.ts';
import type { Check } from '../open/check.ts';
import { type Declared, openNamespaces, stackSecrets } from '../open/open-environment.ts';
import { readDeclaring } from '../open/open-stack.ts';
import { reviewDeployment, reviewSettings } from '../review/review-stack.ts';
import { preflightSecret } from '../verify/preflight.ts';
import { proveSecret } from './prove-secret.ts';

export interface RotateRequest {
  stack: Stack;
  env: NodeJS.ProcessEnv;
  /** Name of the provider, as below `gatehouse:clientSecrets`. */
  name: string;
  /** The new client secret. */
  secret: string;
  approval: Approval;
  /** Go on where the provider does not tell whether it takes the new secret. */
  unverified: boolean;
}

/** What a rotation has done, in this order. */
export const rotationSteps = ['preflight', 'write', 'apply', 'prove'] as const;
export type RotationStep = (typeof rotationSteps)[number];

export interface RotateSink {
  onEvent(event: DeploymentEvent): void;
  /** A step is done. `checks` has what the person should know. */
  onStep?(step: RotationStep, checks: Check[]): void;
  /** Asks whether to go on, before anything is changed; only called with approval `ask`. */
  confirm(check: Check): Promise<boolean>;
}

export interface Rotation {
  /** Path of the auth method. */
  method: string;
  /**
   * `refused`: the provider does not take the new secret. `untold`: it does not tell, and no one said to go on.
   * `objected`: the review of the change has errors. `unproven`: the service has the secret, and a check failed.
   */
  outcome: 'rotated' | 'refused' | 'untold' | 'declined' | 'objected' | 'failed' | 'unproven';
  /** Absolute path of the stack file that has the new secret; undefined if nothing was changed. */
  file?: string;
  checks: Check[];
  /** Of `objected` and `failed`. */
  deployment?: DeploymentResult;
  review?: Review;
}

/**
 * Exchanges the client secret of a provider, so that everybody can sign in all the while if the provider takes both: asks
 * the provider whether it takes the new one, writes it to the stack file, applies the auth method alone, and proves that
 * the service signs in with it. Called again with the same secret, it goes on where it was stopped: nothing but the stack
 * file and the stack's state says how far it got.
 *
 * @throws GatehouseError `secret_unknown`, `secret_missing`, `method_not_applied`, `other_changes`, `confirmation_needed`, and
 *   what `planStack`, `writeSecret` and the engine throw
 */
export async function rotate(request: RotateRequest, engine: Engine, sink: RotateSink): Promise<Rotation> {
  const { stack, env, name, secret, approval, unverified } = request;
  const all = await openNamespaces(stack, env);
  const hasIt = ({ environment }: Declared) => environment.providers.some((one) => one.name === name);
  const declared = all.find(hasIt) ?? all[0];
  const method = methodOf(declared, stack, name);
  requireWritable(stack, { key: 'gatehouse:clientSecrets', name });
  if (secret === '') {
    throw new GatehouseError('secret_missing.new');
  }
  if (approval === 'none') {
    throw new GatehouseError('confirmation_needed.rotate');
  }
  const { targets } = driftTargets(
    [{ kind: 'changed', subject: subjectWithin(declared.path, methodSubject(method)) }],
    await engine.exportState(stack),
  );
  if (targets.length === 0) {
    throw new GatehouseError('method_not_applied', { given: method.path, values: { stack: stack.name } });
  }

  refuseOtherChanges(await planStack(stack, engine, env, targets), stack);

  const answered = await preflightSecret(method, declared.graph, secret);
  const asked: Check = {
    ...(answered ?? {
      outcome: 'unverified',
      detail: 'no role leads back from the provider, so it cannot be asked',
      subject: methodSubject(method),
    }),
    what: 'its new client secret',
  };
  const checks = [asked];
  const end = (outcome: Rotation['outcome'], rest: Partial<Rotation> = {}): Rotation => ({
    method: method.path,
    outcome,
    checks,
    ...rest,
  });
  if (asked.outcome === 'failed') return end('refused');
  if (asked.outcome === 'unverified' && approval === 'given' && !unverified) {
    return end('untold');
  }
  sink.onStep?.('preflight', checks);
  if (approval === 'ask' && !(await sink.confirm(asked))) return end('declined');

  const file = await writeSecret(stack, { key: 'gatehouse:clientSecrets', name, value: secret }, env);
  const now = await readDeclaring(stack.directory, stack.name, env);
  sink.onStep?.('write', []);

  const { options } = await reviewSettings(now, env);
  let review: Review | undefined;
  const { outcome, deployment } = await up(
    { stack: now, refresh: false, targets, approval: 'given' },
    engine,
    {
      onEvent: (event) => sink.onEvent(event),
      async review(plan) {
        review = await reviewDeployment(now, plan, options, env);
        return !hasFindingsAt(review, 'error');
      },
      confirm: async () => false,
    },
  );
  if (outcome === 'refused') return end('objected', { file, deployment, review });
  if (outcome !== 'succeeded') return end('failed', { file, deployment });
  sink.onStep?.('apply', []);

  const proofs = await proveSecret(method, declared, asked.outcome === 'ok', env);
  addAll(checks, proofs);
  sink.onStep?.('prove', proofs);
  return end(proofs.some((proof) => proof.outcome === 'failed') ? 'unproven' : 'rotated', { file });
}

/** Other declared changes would be applied with the secret, without asking the person who rotates it. */
function refuseOtherChanges({ steps }: DeploymentResult, { name: stack }: Stack): void {
  const otherChanges = changeTree(steps)
    .flatMap(withChildren)
    .filter(({ kind, changes }) => kind !== 'same' && !isOfSecret(kind, changes));
  if (otherChanges.length === 0) return;
  throw new GatehouseError('other_changes', {
    given: otherChanges.map(({ kind, title }) => `${kind} ${title}`).join(', '),
    values: { stack },
  });
}

function withChildren(node: ChangeNode): ChangeNode[] {
  return [node, ...node.children.flatMap(withChildren)];
}

/** Whether a rotation that stopped after it wrote the secret may have left this change. */
function isOfSecret(kind: ChangeNode['kind'], changes: ChangeNode['changes']): boolean {
  return kind === 'update' && changes.every(({ path }) => path === 'oidcClientSecret');
}

function methodOf({ environment, graph }: Declared, stack: Stack, name: string): AuthMethod {
  const secrets = Object.keys(stackSecrets(stack, 'clientSecrets'));
  const provider = secrets.includes(name)
    ? environment.providers.find((one) => one.name === name)
    : undefined;
  const method = graph.methods.find(({ path }) => path === (provider?.path ?? provider?.name));
  if (method !== undefined) return method;
  throw new GatehouseError('secret_unknown.client', { allowed: secrets.join(', ') || undefined });
}
