import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { temporaryFolder } from '../../../../test/harness/temporary-folder.ts';
import type { DeploymentResult } from '../../../engine/src/engine.ts';
import { plannedStep } from '../../../engine/src/planned-steps.ts';
import { PlansAtHand } from '../../src/serve/plans-at-hand.ts';

let directory: string;
let time: number;
let plans: PlansAtHand;
beforeEach(() => {
  directory = temporaryFolder();
  writeFileSync(join(directory, 'Pulumi.dev.yaml'), 'config: {}');
  time = Date.now() + 10_000;
  plans = new PlansAtHand(directory, () => time);
});

function planOf(ttl: number): DeploymentResult {
  const urn = 'urn:pulumi:dev::login::vault:jwt/authBackendRole:AuthBackendRole::web';
  const type = 'vault:jwt/authBackendRole:AuthBackendRole';
  const flags = { custom: true, protect: false, delete: false, pendingReplacement: false };
  const lists = { dependencies: [], initErrors: [], additionalSecretOutputs: [], replaceOnChanges: [] };
  const newState = { urn, type, inputs: { ttl }, outputs: {}, propertyDependencies: {}, ...flags, ...lists };
  const step = { op: 'create' as const, urn, type, newState };
  return {
    succeeded: true,
    steps: [step],
    changes: { create: 1 },
    outputs: {},
    diagnostics: [],
    durationMs: 1,
  };
}

const approvedOf = (plan: DeploymentResult) => ({
  steps: JSON.parse(JSON.stringify(plan.steps.map(plannedStep))),
});

function planned(plan = planOf(3600)): DeploymentResult {
  plans.planning('dev')(plan);
  return plan;
}

test('the approved plan is at hand, once', () => {
  const plan = planned();
  expect(plans.take('dev', approvedOf(plan))).toBe(plan);
  expect(plans.take('dev', approvedOf(plan))).toBeUndefined();
});

test('no plan is at hand for another stack, or where another plan was approved', () => {
  const plan = planned();
  expect(plans.take('prod', approvedOf(plan))).toBeUndefined();
  expect(plans.take('dev', approvedOf(planOf(7200)))).toBeUndefined();
});

test('no plan is at hand after a file has changed, with the same size and time too', () => {
  const plan = planned();
  const file = join(directory, 'Pulumi.dev.yaml');
  writeFileSync(file, 'config: []');
  utimesSync(file, 1, 1);
  expect(plans.take('dev', approvedOf(plan))).toBeUndefined();
});

test('no plan is at hand where a file changed so shortly before that a further change could have the same time', () => {
  time = Date.now();
  writeFileSync(join(directory, 'Pulumi.dev.yaml'), 'config: []');
  const plan = planned();
  expect(plans.take('dev', approvedOf(plan))).toBeUndefined();
});

test('a plan that was not reviewed to its end is not at hand, nor is the one before it', () => {
  const plan = planned();
  plans.planning('dev');
  expect(plans.take('dev', approvedOf(plan))).toBeUndefined();
});
