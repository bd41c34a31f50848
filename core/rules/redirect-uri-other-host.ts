import { roleSubject } from '../model/subject.ts';
import { isLoopback, methodOfUri, uriOf } from './redirect-uri.ts';
import type { StateRule } from './rule.ts';

export const rule: StateRule = {
  id: 'redirect-uri-other-host',
  severity: 'warning',
  about: 'A redirect URI on a host that is not the service’s.',
  check: ({ roles }, { service }) => {
    if (service === undefined) return [];
    const own = [service.address, service.uiAddress, service.platformAddress].map(
      (address) => uriOf(address ?? '')?.origin,
    );
    return roles.flatMap((role) =>
      (role.allowedRedirectUris ?? []).flatMap((text) => {
        const uri = uriOf(text);
        const isForeign = uri !== undefined && !own.includes(uri.origin);
        if (!isForeign || (isLoopback(uri) && methodOfUri(text) === undefined)) return [];
        return {
          subject: roleSubject(role, 'allowedRedirectUris'),
          message: `The redirect URI ${text} leads to a host that is not this service’s: whoever runs it gets the codes of sign-ins.`,
          fix: 'Leave it out, or set uiAddress or platformAddress under gatehouse:service if people reach pages there.',
        };
      }),
    );
  },
};
