import { expect, test } from '@jest/globals';
import { findAsset, icon, script, style } from '../../src/pages/asset.ts';

test('assets are found by their names, which hold a hash, and by no others', () => {
  expect([style, script, icon].map(({ name }) => findAsset(name)?.name)).toEqual([
    expect.stringMatching(/^style\.[0-9a-f]{12}\.css$/),
    expect.stringMatching(/^script\.[0-9a-f]{12}\.js$/),
    expect.stringMatching(/^icon\.[0-9a-f]{12}\.svg$/),
  ]);
  expect(['style.css', '', '../html.ts'].map(findAsset)).toEqual([undefined, undefined, undefined]);
});

test('the style refers to nothing outside itself', () => {
  expect(style.body.toString()).not.toMatch(/url\(|@import|https?:/);
});
