import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { GatehouseError } from '../../core/model/values/errors.ts';
import { largestPlan, planTooLarge } from '../../core/review/plan/read-plan.ts';

type Decode = (body: Buffer, limits: { maxOutputLength: number }) => Promise<Buffer>;

const gzip: Decode = promisify(gunzip);

/** By the names of RFC 9110, section 8.4.1. `deflate` is zlib's format, and a few servers leave out its header. */
const decoders: Record<string, Decode> = {
  gzip,
  'x-gzip': gzip,
  deflate: (body, limits) => promisify(((body[0] ?? 0) & 0x0f) === 8 ? inflate : inflateRaw)(body, limits),
  br: promisify(brotliDecompress),
};

/**
 * A plan as it was before its transfer, never longer than a plan may be.
 *
 * @param encoding the header `Content-Encoding`
 * @throws GatehouseError `plan_too_large`, `plan_unavailable`
 */
export async function decoded(body: Buffer, encoding: string | undefined): Promise<Buffer> {
  const names = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  let plain = body;
  for (const name of names.filter((one) => one !== '' && one !== 'identity').reverse()) {
    const decode = decoders[name];
    if (decode === undefined) throw undecodable(`its encoding is unknown`, name);
    try {
      plain = await decode(plain, { maxOutputLength: largestPlan });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw planTooLarge();
      throw undecodable('it is not in the encoding that it is said to have', name);
    }
  }
  return plain;
}

function undecodable(why: string, given: string): GatehouseError {
  return new GatehouseError({
    code: 'plan_unavailable',
    what: `the plan cannot be decoded: ${why}`,
    given: given.slice(0, 50),
    allowed: 'gzip, deflate, br',
    fix: 'Look at the run on the platform, or start a new one.',
  });
}
