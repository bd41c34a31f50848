import * as pulumi from '@pulumi/pulumi';
import { AuthMethod } from '../../../../components/auth-method.ts';
import { ExternalGroup } from '../../../../components/external-group.ts';
import { Role } from '../../../../components/role.ts';

/**
 * One auth method with two roles and a group, as the stack's configuration says: what replacing a mount must not lose.
 */
const config = new pulumi.Config();
const type = config.require('type');
const method = new AuthMethod('people', {
  path: config.get('path') ?? 'people',
  type,
  oidcDiscoveryUrl: config.require('issuer'),
  ...(type === 'oidc' ? { oidcClientId: 'gatehouse', oidcClientSecret: 'gatehouse-development-only' } : {}),
});
for (const name of ['reader', 'writer']) {
  new Role(`people-${name}`, {
    method: method.path,
    name,
    roleType: type,
    userClaim: 'sub',
    policies: [config.get('policy') ?? name],
    ...(type === 'oidc'
      ? { allowedRedirectUris: ['http://localhost:8250/oidc/callback'] }
      : { boundAudiences: ['people'] }),
  });
}
new ExternalGroup('team', {
  name: 'team',
  alias: 'team-id',
  ...(config.get('aliasResource') && { aliasResource: config.require('aliasResource') }),
  policies: ['reader'],
  mountAccessor: method.accessor,
});
