import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pluginsAtHand } from '../../../engine/local/local-engine.ts';
import { KubernetesPlugin } from '../../../engine/plugins/kubernetes/kubernetes-plugin.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-'));
  const official = join(folder, 'pulumi-resource-kubernetes');
  writeFileSync(official, '#!/bin/sh\necho the official one >&2; exit 3\n');
  chmodSync(official, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));
const pluginFor = async (name: string, path: string) =>
  await pluginsAtHand({ HOME: '/nowhere', PATH: path }, () => '127.0.0.1:1')(name, '4.34.2');

test('kubernetes has our plugin, where the official one is not on disk', async () => {
  expect(await pluginFor('kubernetes', '')).toBeInstanceOf(KubernetesPlugin);
});

test('kubernetes has the official plugin, where it is on disk', async () => {
  await expect(pluginFor('kubernetes', folder)).rejects.toThrow('the official one');
});

test('another package has none, where none is on disk', async () => {
  expect(await pluginFor('azuread', folder)).toBeUndefined();
});
