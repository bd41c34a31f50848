import { type KubeconfigSource, readKubeconfig } from '../../../client/kubeconfig.ts';
import { textOf } from '../../../core/model/values/loose-values.ts';
import { diffInputs } from '../../property-diff.ts';
import { holdsUnknown, type PropertyMap } from '../../property-value.ts';
import type { CheckFailure, CheckRequest, CheckResponse, DiffRequest, DiffResponse } from '../plugin.ts';

/** `version` and `pluginDownloadURL`: every plugin resource may have them. */
const done = ['kubeconfig', 'context', 'namespace', 'version', 'pluginDownloadURL'];
/** Without an effect on the few kinds of object here. */
const harmless = [
  ...['enableServerSideApply', 'enableConfigMapMutable', 'enableSecretMutable', 'enablePatchForce'],
  ...['suppressDeprecationWarnings', 'suppressHelmHookWarnings', 'helmReleaseSettings', 'kubeClientSettings'],
];

/** The settings of `kubernetes.Provider`. Others are refused by their names, never ignored. */
export function checkProviderConfig({ news }: CheckRequest): CheckResponse {
  const failures: CheckFailure[] = Object.keys(news)
    .filter((name) => ![...done, ...harmless, '__internal'].includes(name))
    .map((property) => ({ property, reason: `"${property}" is not supported by this plugin` }));
  for (const property of ['kubeconfig', 'context', 'namespace']) {
    const value = news[property];
    if (value === undefined || value === null || holdsUnknown(value) || typeof value === 'string') continue;
    failures.push({ property, reason: `"${property}" must be text` });
  }
  return { inputs: news, failures };
}

/**
 * Another cluster has other objects: what is in the old one is deleted there and made anew (`provider.go`,
 * `DiffConfig`).
 */
export function diffProviderConfig(
  { oldInputs, news }: Pick<DiffRequest, 'oldInputs' | 'news'>,
  env: NodeJS.ProcessEnv,
): DiffResponse {
  const { keys: diffs } = diffInputs(oldInputs, news);
  const [before, after] = [oldInputs, news].map((inputs) => serverOf(inputs, env));
  const isOther = before !== undefined && after !== undefined && before !== after;
  const replaces = isOther ? diffs.filter((name) => name === 'kubeconfig' || name === 'context') : [];
  return {
    changes: diffs.length === 0 ? 'none' : 'some',
    replaces,
    diffs,
    deleteBeforeReplace: false,
  };
}

/** Where the kubeconfig comes from. */
export function sourceIn({ kubeconfig, context }: PropertyMap): KubeconfigSource {
  return { kubeconfig: textOf(kubeconfig), context: textOf(context) };
}

/** Undefined if it is not known, or the old kubeconfig is no longer there. */
function serverOf(inputs: PropertyMap, env: NodeJS.ProcessEnv): string | undefined {
  if (holdsUnknown(inputs)) return undefined;
  try {
    return readKubeconfig(sourceIn(inputs), env).server;
  } catch {
    return undefined;
  }
}
