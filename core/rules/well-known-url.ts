import { methodSubject } from '../model/subject.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'well-known-url',
  severity: 'error',
  about: 'A discovery URL or issuer with its well-known suffix.',
  check: ({ methods }) =>
    methods.flatMap((method) =>
      (['oidcDiscoveryUrl', 'boundIssuer'] as const)
        .filter((field) => method.config[field]?.includes('/.well-known/'))
        .map((field) => ({
          subject: methodSubject(method, field),
          message: `The URL has the suffix /.well-known/…, which the service adds itself: it finds nothing there.`,
          fix: 'Cut it off before /.well-known.',
        })),
    ),
};
