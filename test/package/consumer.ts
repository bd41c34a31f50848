// A team's own program, type checked against the packed file: it uses something of each module.
import * as vault from '@pulumi/vault';
import {
  buildEnvironment,
  CloudDirectory,
  type CloudDirectoryArgs,
  Policy,
  Role,
  type RoleArgs,
} from 'gatehouse-login';
import { declare, Reach, readEnvironment } from 'gatehouse-login/access';
import { hasFindingsAt, jsonReport, type Review, readPlan, review } from 'gatehouse-login/review';
import { isSigned, parsePayload, type ReceivedPayload, resultToWire, Stage } from 'gatehouse-login/run-task';

export const environment = await buildEnvironment(import.meta.dirname);
const accessor: string = environment.methods['staff']?.kind ?? '';

const args: CloudDirectoryArgs = {
  service: { address: 'https://secrets.example.com' },
  tenantId: '3f0e9d5c-1a2b-4c3d-8e4f-5a6b7c8d9e0f',
  clientId: accessor,
  roles: [{ name: 'reader', policies: ['secrets-read'], ttl: 3600 }],
};
const provider = new vault.Provider('service', { address: 'https://secrets.example.com' });
new CloudDirectory('staff', args, { providers: [provider] });
const role: RoleArgs = { method: 'staff', name: 'reader', userClaim: 'sub', roleType: 'jwt' };
new Role('reader', role, { provider });
new Policy('secrets-read', { name: 'secrets-read', text: 'path "secret/*" { capabilities = ["read"] }' });
// @ts-expect-error a policy needs its text
new Policy('empty', { name: 'empty' });

const now = 0n;
const found: Review = review(readPlan('{}'), { now });
export const failed: boolean =
  hasFindingsAt(found, 'error') || jsonReport(found, 'error').findings.length > 0;
// @ts-expect-error there is no such severity
hasFindingsAt(found, 'severe');

const graph = declare(readEnvironment({ config: {}, readFile: () => '' }));
export const answer: 'yes' | 'no' | 'unknown' = new Reach(graph, now).whoCan({
  capability: 'read',
  path: 'a',
}).answer;

const parsed = parsePayload({});
const payload: ReceivedPayload | undefined = 'payload' in parsed ? parsed.payload : undefined;
export const atPlan: boolean = payload?.stage === Stage.postPlan && isSigned(new Uint8Array(), undefined, []);
export const body = resultToWire({ status: 'passed', outcomes: [] }, true);
