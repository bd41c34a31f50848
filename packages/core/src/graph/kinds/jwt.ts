import { z } from 'zod';
import { configFields } from '../resources/auth-method.ts';
import { checked, isSame } from '../resources/field.ts';
import { roleSettings } from '../resources/role-settings.ts';
import { defined } from '../values/loose-values.ts';
import { textList } from '../values/text-list.ts';
import { groupsClaimFor, issuerUrl, type Kind, providerShape, reportIn, writtenJwks } from './kind.ts';

/** Where keys can come from; exactly one. Without any, they come from the issuer's own discovery document. */
const keySources = ['discoveryUrl', 'jwksUrl', 'jwksPairs', 'publicKeys', 'jwks'] as const;

const url = checked(configFields.jwksUrl);
const caPem = checked(configFields.jwksCaPem).min(1);

const settings = z
  .strictObject({
    ...providerShape,
    kind: z.literal('jwt'),
    issuer: z.string().min(1).optional(),
    discoveryUrl: issuerUrl.optional(),
    jwksUrl: url.optional(),
    caPem: caPem.optional(),
    jwksPairs: z
      .array(z.strictObject({ url, caPem: caPem.optional() }))
      .min(1)
      .optional(),
    publicKeys: checked(configFields.jwtValidationPubkeys)
      .refine((keys) => keys.length > 0, 'give at least one PEM public key')
      .optional(),
    /** A JWKS document itself; it is converted to PEM. */
    jwks: writtenJwks.optional(),
    userClaim: z.string().min(1).default('sub'),
    groupsClaim: z.string().min(1).default('groups'),
    audiences: textList.optional(),
    roles: z.array(roleSettings({})).default([]),
  })
  .check((context) => {
    const { value } = context;
    const report = reportIn(context);
    const sources = keySources.filter((source) => value[source] !== undefined);
    const [first, second] = sources;
    if (second !== undefined)
      report([second], `exactly one key source is allowed; given: ${sources.join(', ')}`);
    if (first === undefined && value.issuer === undefined)
      report(['issuer'], `give the issuer, or a key source: ${keySources.join(', ')}`);
    if (first === undefined && value.issuer !== undefined && !issuerUrl.safeParse(value.issuer).success)
      report(['issuer'], `not a URL to discover keys at; give one of ${keySources.join(', ')} as well`);
    if (value.caPem === undefined || first === undefined || first === 'discoveryUrl' || first === 'jwksUrl')
      return;
    const instead = first === 'jwksPairs' ? '; each of the pairs has its own' : '';
    report(['caPem'], `nothing is contacted for which it would be trusted, with ${first}${instead}`);
  });
type JwtSettings = z.output<typeof settings>;

/** Any issuer of tokens that workloads sign in with. */
export const jwt = {
  kind: 'jwt',
  products: ['JSON Web Token'],
  methodType: 'jwt',
  settings,
  issuer: '<issuer>',
  insteadOfIssuer: keySources,
  fitsAnyIssuer: true,
  config: (provider) => {
    return defined({ ...keysOf(provider), boundIssuer: provider.issuer ?? provider.discoveryUrl });
  },
  role: (provider) => ({
    ...defined({ userClaim: provider.userClaim, boundAudiences: provider.audiences }),
    ...groupsClaimFor(provider, provider.groupsClaim),
  }),
  adopt({ oidcDiscoveryUrl, jwksUrl, jwksPairs, jwtValidationPubkeys, boundIssuer, ...config }, roles) {
    const issuer = boundIssuer || oidcDiscoveryUrl;
    const [audiences, ...rest] = roles.map(({ boundAudiences }) => boundAudiences);
    const caPem = config.oidcDiscoveryCaPem ?? config.jwksCaPem;
    return defined({
      issuer,
      discoveryUrl: oidcDiscoveryUrl === issuer ? undefined : oidcDiscoveryUrl,
      jwksUrl,
      caPem,
      jwksPairs: jwksPairs?.map(({ jwks_url: at, jwks_ca_pem: ca }) =>
        defined({ url: at, caPem: ca || undefined }),
      ),
      publicKeys: jwtValidationPubkeys,
      audiences: rest.every((other) => isSame(other, audiences)) ? audiences : undefined,
    });
  },
} as const satisfies Kind<JwtSettings>;

/** Where the method has its keys from. A JWKS document has been converted to public keys before. */
function keysOf({ jwksUrl, jwksPairs, publicKeys, discoveryUrl, issuer, caPem }: JwtSettings) {
  if (publicKeys !== undefined) return { jwtValidationPubkeys: publicKeys };
  if (jwksPairs !== undefined) {
    return {
      jwksPairs: jwksPairs.map(
        ({ url, caPem: ca }): Record<string, string> => ({
          jwks_url: url,
          ...(ca !== undefined && { jwks_ca_pem: ca }),
        }),
      ),
    };
  }
  if (jwksUrl !== undefined) return { jwksUrl, jwksCaPem: caPem };
  return { oidcDiscoveryUrl: discoveryUrl ?? issuer, oidcDiscoveryCaPem: caPem };
}
