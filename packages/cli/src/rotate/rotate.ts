import { type AuthMethod, methodSubject, subjectWithin } from '@gatehouse/core/graph';
import { hasFindingsAt, type Review } from '@gatehouse/core/review';
import { addAll, GatehouseError } from '@gatehouse/core/values';
import type { DeploymentEvent, DeploymentResult, Engine, Stack } from '@gatehouse/engine';
import { requireWritable, writeSecret } from '@gatehouse/engine/stack-files';
import { type ChangeNode, changeTree } from '../deployment/change-tree.ts';
import { type Approval, planStack, up } from '../deployment/deployment.ts';
import { driftTargets } from '../drift/fix-drift.ts';
import type { CheckOutcome } from '../open/check.ts';
import {
  type Declared,
  type DeclaredNamespace,
  openNamespaces,
  stackSecrets,
} from '../open/open-environment.ts';
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
  onStep?(step: RotationStep, checks: CheckOutcome[]): void;
  /** Asks whether to go on, before anything is changed; only called with approval `ask`. */
  confirm(check: CheckOutcome): Promise<boolean>;
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
  checks: CheckOutcome[];
  /** With `objected` and `failed`. */
  deployment?: DeploymentResult;
  review?: Review;
}

/**
 * Exchanges the client secret of a provider. People can sign in all the while if the provider accepts both secrets: asks
 * the provider whether it takes the new one, writes it to the stack file, applies the auth method alone, and proves that
 * the service signs in with it. Called again with the same secret, it goes on where it was stopped: nothing but the stack
 * file and the stack's state says how far it got.
 *
 * @throws GatehouseError `secret_unknown`, `secret_missing`, `method_not_applied`, `other_changes`, `confirmation_needed`, and
 *   what `planStack`, `writeSecret` and the engine throw
 */
export async function rotate(request: RotateRequest, engine: Engine, sink: RotateSink): Promise<Rotation> {
  const { stack, env, name, secret, approval, unverified } = request;
  const declared = await declaringNamespace(stack, env, name);
  const method = methodOf(declared, stack, name);
  requireRotatable(request);
  const targets = await targetsOf(declared, method, stack, engine);
  refuseOtherChanges(await planStack(stack, engine, env, targets), stack);

  const acceptance = await acceptanceOf(secret, method, declared);
  const checks = [acceptance];
  const end = (outcome: Rotation['outcome'], rest: Partial<Rotation> = {}): Rotation => ({
    method: method.path,
    outcome,
    checks,
    ...rest,
  });
  if (acceptance.outcome === 'failed') return end('refused');
  if (acceptance.outcome === 'unverified' && approval === 'given' && !unverified) {
    return end('untold');
  }
  sink.onStep?.('preflight', checks);
  if (approval === 'ask' && !(await sink.confirm(acceptance))) return end('declined');

  const file = await writeSecret(stack, { key: 'gatehouse:clientSecrets', name, value: secret }, env);
  const withSecret = await readDeclaring(stack.directory, stack.name, env);
  sink.onStep?.('write', []);

  const { outcome, deployment, review } = await applyReviewed(withSecret, env, targets, engine, sink);
  if (outcome === 'refused') return end('objected', { file, deployment, review });
  if (outcome !== 'succeeded') return end('failed', { file, deployment });
  sink.onStep?.('apply', []);

  const proofs = await proveSecret(method, declared, acceptance.outcome === 'ok', env);
  addAll(checks, proofs);
  sink.onStep?.('prove', proofs);
  return end(proofs.some((proof) => proof.outcome === 'failed') ? 'unproven' : 'rotated', { file });
}

/** The namespace whose environment declares a provider; the stack's own if none does. */
async function declaringNamespace(
  stack: Stack,
  env: NodeJS.ProcessEnv,
  name: string,
): Promise<DeclaredNamespace> {
  const namespaces = await openNamespaces(stack, env);
  const declaresIt = ({ environment }: Declared) =>
    environment.providers.some((provider) => provider.name === name);
  return namespaces.find(declaresIt) ?? namespaces[0];
}

/** @throws GatehouseError `secret_missing`, `confirmation_needed`, and what `requireWritable` throws */
function requireRotatable({ stack, name, secret, approval }: RotateRequest): void {
  requireWritable(stack, { key: 'gatehouse:clientSecrets', name });
  if (secret === '') {
    throw new GatehouseError('secret_missing.new');
  }
  if (approval === 'none') {
    throw new GatehouseError('confirmation_needed.rotate');
  }
}

/** URNs of the auth method in the state. @throws GatehouseError `method_not_applied` */
async function targetsOf(
  { path }: DeclaredNamespace,
  method: AuthMethod,
  stack: Stack,
  engine: Engine,
): Promise<string[]> {
  const { targets } = driftTargets(
    [{ kind: 'changed', subject: subjectWithin(path, methodSubject(method)) }],
    await engine.exportState(stack),
  );
  if (targets.length > 0) return targets;
  throw new GatehouseError('method_not_applied', { given: method.path, values: { stack: stack.name } });
}

/** Whether the provider accepts the new secret. */
async function acceptanceOf(secret: string, method: AuthMethod, { graph }: Declared): Promise<CheckOutcome> {
  const answered = await preflightSecret(method, graph, secret);
  return {
    ...(answered ?? {
      outcome: 'unverified',
      detail: 'no role leads back from the provider, so it cannot be asked',
      subject: methodSubject(method),
    }),
    what: 'its new client secret',
  };
}

/** Applies the auth method alone, if the review of that change finds no error. */
async function applyReviewed(
  stack: Stack,
  env: NodeJS.ProcessEnv,
  targets: string[],
  engine: Engine,
  sink: RotateSink,
) {
  const { options } = await reviewSettings(stack, env);
  let review: Review | undefined;
  const result = await up({ stack, refresh: false, targets, approval: 'given' }, engine, {
    onEvent: (event) => sink.onEvent(event),
    async review(plan) {
      review = await reviewDeployment(stack, plan, options, env);
      return !hasFindingsAt(review, 'error');
    },
    confirm: async () => false,
  });
  return { ...result, review };
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
    ? environment.providers.find((candidate) => candidate.name === name)
    : undefined;
  const method = graph.methods.find(({ path }) => path === (provider?.path ?? provider?.name));
  if (method !== undefined) return method;
  throw new GatehouseError('secret_unknown.client', { allowed: secrets.join(', ') || undefined });
}
