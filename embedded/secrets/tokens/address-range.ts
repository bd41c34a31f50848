import { BlockList, isIP } from 'node:net';

/** The addresses of a range like `10.0.0.0/8`, or of one address; undefined if it is neither. */
export function addressRange(cidr: string): BlockList | undefined {
  const [, address = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(cidr.trim()) ?? [];
  const version = isIP(address);
  const bits = version === 4 ? 32 : 128;
  const prefix = length === undefined ? bits : Number(length);
  if (version === 0 || prefix > bits) return undefined;
  const range = new BlockList();
  range.addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6');
  return range;
}

/** Whether an address is in one of the ranges; true without ranges. */
export function isAddressIn(address: string, cidrs: string[]): boolean {
  if (cidrs.length === 0) return true;
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const version = isIP(plain);
  if (version === 0) return false;
  return cidrs.some((cidr) => addressRange(cidr)?.check(plain, version === 4 ? 'ipv4' : 'ipv6'));
}
