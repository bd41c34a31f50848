import { capabilities } from '../values/capability.ts';
import { didYouMean } from '../values/problem.ts';
import { readPolicy } from './parse-policy.ts';

/** What servers take in a policy: `scan` is OpenBao's; `subscribe` and `recover` are Vault's. */
const written = [...capabilities, 'deny', 'recover'];

/** Words of a policy that no server takes for a capability: it would refuse the policy, with others written already. */
export function capabilityProblems(text: string): string[] {
  const wrong = (readPolicy(text) ?? []).flatMap(({ path, capabilities: given }) =>
    given
      .filter((one) => !written.includes(one))
      .map((one) => {
        const likely = didYouMean(one, written);
        const known = likely === '' ? `; known: ${written.join(', ')}` : likely;
        return `path ${JSON.stringify(path)}: \`${one}\` is no capability${known}`;
      }),
  );
  return [...new Set(wrong)];
}
