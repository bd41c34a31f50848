// What a test file gets for `@jest/globals`: the same words, by which its tests are kept to be run many times.
import { createRequire } from 'node:module';
import type { expect as Expect } from '@jest/globals';
import { describe as block, each, hook, keep } from './kept-tests.ts';

const own = createRequire(createRequire(import.meta.url).resolve('@jest/globals'));
/** Jest's own. */
export const expect: typeof Expect = own('expect').expect;

export const describe = Object.assign(block, { each: each(block), skip: () => {} });
export const test = Object.assign(keep, { each: each(keep), skip: () => {} });
export const it = test;
export const beforeAll = hook('beforeAll');
export const afterAll = hook('afterAll');
export const beforeEach = hook('beforeEach');
export const afterEach = hook('afterEach');
