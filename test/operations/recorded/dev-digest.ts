import { readFileSync } from 'node:fs';
import { EventRecord, parseEngineEvent } from '../../../engine/pulumi/event-record.ts';
import { readStack } from '../../../engine/stack-files/read-stack.ts';
import { type Digest, digest } from '../../../operations/description/digest.ts';
import { root } from '../../harness/environment-under-test.ts';

/** A plan of the dev stack as the platform stores it, from what a real Pulumi engine (3.260) streamed. */
export async function devDigest(name = 'preview-create'): Promise<Digest> {
  const record = new EventRecord(() => {});
  const stream = readFileSync(`${root}/test/operations/recorded/${name}.stream.jsonl`, 'utf8');
  for (const line of stream.split('\n')) {
    const event = parseEngineEvent(line);
    if (event !== undefined) record.add(event);
  }
  const stack = await readStack(root, 'dev', { PULUMI_CONFIG_PASSPHRASE: 'gatehouse' });
  return JSON.parse(JSON.stringify(digest(stack, record.result(true, 0), { unchanged: true })));
}
