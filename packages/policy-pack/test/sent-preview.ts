import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type PulumiPreview,
  type PulumiState,
  type PulumiStep,
  pulumiPreview,
} from '../../core/src/review/plan/pulumi-preview.ts';
import type { SentResource } from './hosted-pack.ts';

export const unknown = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';
const secretMark = { '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270' };

/** A secret as engines send it. */
export const secret = (value: unknown) => ({ ...secretMark, value });

/**
 * What an engine with this preview sends to a policy pack, and the state before as `--show-secrets` exports it: of a
 * preview with `--refresh`, the refreshed one.
 */
export function sentPreview(json: unknown): { resources: SentResource[]; before: object } {
  const preview: PulumiPreview = pulumiPreview.parse(json);
  const providers = providerInputs(preview.steps);
  const resources: SentResource[] = [];
  const before: object[] = [];
  for (const [urn, all] of Map.groupBy(preview.steps, (step) => step.urn)) {
    const shownSteps = all.filter(({ op }) => op !== 'refresh');
    const steps =
      shownSteps.length > 0 ? shownSteps : all.map((step) => ({ ...step, oldState: step.newState }));
    const old = steps.find(({ oldState }) => oldState)?.oldState ?? undefined;
    if (old !== undefined) before.push({ ...revealed(old, true), urn });
    const main = steps.findLast(({ newState, op }) => newState != null && !op.startsWith('delete'));
    if (main?.newState == null) continue;
    const isMade = steps.some(({ op }) => /create|replace|import/.test(op));
    const { type, inputs, outputs, propertyDependencies } = revealed(main.newState, false);
    const provider = (main.newState.provider ?? main.provider)?.replace(/::[^:]*$/, '');
    resources.push({
      urn,
      type,
      ...(main.op !== 'read' && { inputs }),
      outputs:
        Object.keys(outputs).length > 0
          ? outputs
          : { ...(isMade ? { id: unknown } : (old?.outputs ?? {})), ...inputs },
      propertyDependencies: Object.fromEntries(
        Object.entries(propertyDependencies ?? {}).map(([name, urns]) => [name, urns ?? []]),
      ),
      ...(provider && { provider: { urn: provider, inputs: providers.get(provider) ?? {} } }),
    });
  }
  return { resources, before: { version: 3, deployment: { manifest: {}, resources: before } } };
}

/** Writes the state before to a file. */
export function writeBefore(folder: string, before: object): string {
  const path = join(folder, `${randomUUID()}.json`);
  writeFileSync(path, JSON.stringify(before));
  return path;
}

function providerInputs(steps: PulumiStep[]): Map<string, Record<string, unknown>> {
  return new Map(
    steps
      .filter(({ urn }) => urn.includes('::pulumi:providers:'))
      .map(({ urn, newState, oldState }) => [urn, (newState ?? oldState)?.inputs ?? {}]),
  );
}

/** A preview shows no secret: each is something here, the same at the same place. */
function revealed(state: PulumiState, isExport: boolean): PulumiState {
  const show = (value: unknown, at: string): unknown => {
    if (value === '[secret]') {
      const hidden = at === '.boundClaims' ? { team: 'hush' } : `hush ${at}`;
      return isExport ? { ...secretMark, plaintext: JSON.stringify(hidden) } : secret(hidden);
    }
    if (Array.isArray(value)) return value.map((one, index) => show(one, `${at}.${index}`));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, show(one, `${at}.${name}`)]));
  };
  const all = (values: Record<string, unknown>) => show(values, '') as Record<string, unknown>;
  return { ...state, inputs: all(state.inputs), outputs: all(state.outputs) };
}
