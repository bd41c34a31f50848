import { readStack } from '../../engine/stack-files/read-stack.ts';
import { type Digest, digest } from '../../operations/description/digest.ts';
import { root } from '../harness/environment-under-test.ts';
import { type Recording, recordedRun } from './recorded.ts';

/** A plan of the dev stack as the platform stores it. */
export async function devDigest(name: Recording): Promise<Digest> {
  const stack = await readStack(root, 'dev', { PULUMI_CONFIG_PASSPHRASE: 'gatehouse' });
  return JSON.parse(JSON.stringify(digest(stack, recordedRun(name), { unchanged: true })));
}
