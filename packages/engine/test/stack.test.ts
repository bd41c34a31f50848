import { expect, test } from '@jest/globals';
import { secretsIn } from '../src/stack.ts';

test('the secrets of a stack are what is encrypted in its file, and not what is next to it in clear', () => {
  const config = new Map([
    ['p:open', { value: 'open', secret: false }],
    ['p:whole', { value: 'hunter2', secret: true }],
    ['p:part', { value: '{"password":"hunter3","user":"reader"}', secret: true, secrets: ['hunter3'] }],
  ]);
  expect(secretsIn({ config })).toEqual(['hunter2', 'hunter3']);
});
