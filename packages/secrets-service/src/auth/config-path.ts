import { X509Certificate } from 'node:crypto';
import { configFields } from '@gatehouse/core/graph';
import { z } from 'zod';
import { mountOf } from '../mounts/mount.ts';
import { orNotFound } from '../protocol/answer.ts';
import { op, type Reply, type RequestContext, route, type SecretsPath } from '../protocol/path.ts';
import { messageOf, RequestRefusal } from '../protocol/refusal.ts';
import { answerFields, bodyFields, strings } from '../protocol/schemas.ts';
import { configData, getConfig, issuerPlace, jwksPlaces, newConfig, putConfig } from './config.ts';
import type { Issuers } from './issuers.ts';

const data = z.strictObject({
  ...answerFields(configFields),
  ...strings('oidc_response_mode', 'status'),
});

export function configPath(issuers: Issuers): SecretsPath {
  async function write(context: RequestContext): Promise<Reply> {
    const { now, body } = context;
    const mount = mountOf(context);
    const config = newConfig(body, getConfig(context, mount));
    const issuer = issuerPlace(config);
    if (issuer !== undefined) {
      await contact('error checking oidc discovery URL', issuer.caPem, async () => {
        const { jwks_uri: url } = await issuers.discovery(issuer, now, true);
        await issuers.keys({ url, caPem: issuer.caPem }, now, undefined, true);
      });
    }
    for (const place of jwksPlaces(config)) {
      if (place.caPem && !isCaPem(place.caPem)) throw new RequestRefusal(400, 'error checking jwks_ca_pem');
      await contact('error checking jwks URL', place.caPem, () => issuers.keys(place, now, undefined, true));
    }
    // Asks for the mount again: it may be gone by now.
    putConfig(context, mountOf(context), config);
    return {};
  }
  function read(context: RequestContext): Reply {
    const config = getConfig(context, mountOf(context));
    return { data: configData(orNotFound(config)) };
  }
  return route('auth/{mount}/config', {
    read: op('Read the configuration of an auth method', read, { data }),
    update: op('Configure an auth method; omitted fields are reset', write, {
      body: z.object(bodyFields(configFields)),
    }),
  });
}

export function isCaPem(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

async function contact(
  prefix: string,
  caPem: string | undefined,
  work: () => Promise<unknown>,
): Promise<void> {
  if (caPem && !isCaPem(caPem)) {
    throw new RequestRefusal(400, `${prefix}: could not parse CA PEM value successfully`);
  }
  try {
    await work();
  } catch (error) {
    throw new RequestRefusal(400, `${prefix}: ${messageOf(error)}`);
  }
}
