import { GatehouseError } from '@gatehouse/core/values';
import type { Diagnostic } from '../engine.ts';
import { parseUrn } from '../urn.ts';

/**
 * What the CLI says of a run that leaves its plan: of a resource with other properties, another operation, or none (pulumi/pulumi
 * `pkg/resource/deploy/step_generator.go`).
 */
const leavesPlan = /violates plan: |allowed by the plan|^no plan for resource/;

/** `pkg/workspace/plugins.go`, `MissingError`. */
const missingHost = /no language plugin 'pulumi-language-([\w-]+)' found/;

/** A diagnostic of the CLI in one clear line, where the CLI is wordy; other diagnostics stay as they are. */
export function reworded(diagnostic: Diagnostic): Diagnostic {
  if (diagnostic.severity !== 'error') return diagnostic;
  const { message, urn: about } = diagnostic;
  if (leavesPlan.test(message)) {
    const urn = about ?? /urn:pulumi:\S+/.exec(message)?.[0];
    // The message has the properties with their values, which may be secret: only names are kept.
    const properties = [...message.matchAll(/[-+~=]{2}([A-Za-z]\w*)/g)].map(([, name]) => name);
    const change = [nameOf(urn), ...(properties.length > 0 ? [`(${properties.join(', ')})`] : [])].join(' ');
    return { ...diagnosticOf(new GatehouseError('step_unplanned.refused', { given: change })), urn };
  }
  const language = missingHost.exec(message)?.[1];
  if (language === undefined) return diagnostic;
  const host = `pulumi-language-${language}`;
  return diagnosticOf(new GatehouseError('pulumi_language_host_missing', { given: host }));
}

function nameOf(urn: string | undefined): string {
  if (urn === undefined) return '';
  const { type, name } = parseUrn(urn);
  return `${type} "${name}"`;
}

function diagnosticOf({ code, message }: GatehouseError): Diagnostic {
  return { severity: 'error', code, message };
}
