import { expect, test } from '@jest/globals';
import { OpenedParts } from '../../src/serve/opened-parts.ts';

test('everything is closed once, the last one first, also after a part that fails to close', async () => {
  const opened = new OpenedParts();
  const closed: string[] = [];
  opened.add(() => closed.push('database'));
  opened.add(() => {
    closed.push('queue');
    throw new Error('the queue is stuck');
  });
  opened.add(async () => closed.push('server'));
  await expect(opened.close()).rejects.toThrow('the queue is stuck');
  expect(closed).toEqual(['server', 'queue', 'database']);
  await opened.close();
  expect(closed).toHaveLength(3);
});
