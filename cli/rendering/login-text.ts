import type { SignedIn } from '../../operations/login.ts';
import { printable, type Style } from './style.ts';

/** The result of a sign-in, with the token, which is what it is for. */
export function loginText(signedIn: SignedIn, style: Style): string {
  const { token, accessor, metadata, leaseSeconds, renewable, identityPolicies, policies } = signedIn;
  const { role = '', ...mapped } = metadata;
  const rows = [
    ['Token', token],
    ['Accessor', accessor],
    ['Policies', policies.join(', ')],
    ...(identityPolicies.length === 0 ? [] : [['of groups', identityPolicies.join(', ')]]),
    ['Lasts', `${leaseSeconds} seconds${renewable ? ', renewable' : ''}`],
    ...Object.entries(mapped),
  ];
  const lines = rows.map(([name = '', value = '']) => `  ${printable(name).padEnd(10)}${printable(value)}`);
  return `${style.added('Signed in')} as ${printable(role)}\n${lines.join('\n')}\n`;
}
