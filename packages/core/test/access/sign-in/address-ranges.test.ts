import { BlockList } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  addressOutside,
  addressText,
  isAddressIn,
  overlap,
} from '../../../src/access/sign-in/address-ranges.ts';
import { type AddressRange, addressRange } from '../../../src/graph/values/address-range.ts';

const ranges = (cidrs: string[]) => cidrs.map((cidr) => addressRange(cidr) as AddressRange);

describe('whether ranges of addresses are included in others', () => {
  test.each([
    [['10.0.0.0/24'], ['10.0.0.0/8'], true],
    [['10.0.0.0/8'], ['10.0.0.0/24'], false],
    [['10.0.0.7'], ['10.0.0.0/24'], true],
    [['10.0.0.0/24'], ['10.0.0.0/25', '10.0.0.128/25'], true],
    [['10.0.0.0/24'], ['10.0.0.128/25', '10.0.0.0/25'], true],
    [['10.0.0.7'], ['10.0.0.7'], true],
    [['10.0.0.0/24'], ['10.0.0.0/25', '10.0.0.129/32'], false],
    [['2001:db8::/48'], ['2001:db8::/32'], true],
    [['2001:db8::/32'], ['2001:db8::/48'], false],
    [['::ffff:10.0.0.1'], ['10.0.0.0/8'], true],
    [['::ffff:10.0.0.0/104'], ['10.0.0.0/8'], true],
    [['0.0.0.0/0'], ['::/0'], false],
    [['::/0'], ['0.0.0.0/0'], false],
    [['10.0.0.0/24'], [], false],
  ])('%j in %j: %s', (inner, outer, included) => {
    expect(addressOutside(ranges(outer), ranges(inner)) === undefined).toBe(included);
  });

  test.each([
    ['10.1.2.3/8', '10.0.0.0', '10.255.255.255'],
    ['10.0.0.7', '10.0.0.7', '10.0.0.7'],
    ['0.0.0.0/0', '0.0.0.0', '255.255.255.255'],
    ['::/0', '::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ...['2001:db8::1', '192.0.2.255', '::', '::1', '1:0:2::3'].map((one) => [one, one, one]),
    ['2001:db8::1/127', '2001:db8::', '2001:db8::1'],
    ['::ffff:10.0.0.7/127', '10.0.0.6', '10.0.0.7'],
    ['::ffff:10.0.0.7/96', '0.0.0.0', '255.255.255.255'],
    ['::ffff:a00:7', '10.0.0.7', '10.0.0.7'],
    ['::ffff:10.0.0.7', '10.0.0.7', '10.0.0.7'],
    ['::ffff:0:0/95', '::fffe:0:0', '::ffff:ffff:ffff'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0', '1:2:3:4:5:6:7:0'],
    ['1:2:3:4:5:6:1.2.3.4', '1:2:3:4:5:6:102:304', '1:2:3:4:5:6:102:304'],
    [' 10.0.0.7 ', '10.0.0.7', '10.0.0.7'],
  ])('%s goes from %s to %s', (text, first, last) => {
    const [range] = ranges([text]);
    expect([addressText(range?.first ?? 0n), addressText(range?.last ?? 0n)]).toEqual([first, last]);
  });

  test.each([
    ['::ffff:10.0.0.0', 'any other', 0xffff_0a00_0000n],
    ['0.0.0.0', 'any of IPv6', 1n << 128n],
  ])('%s stands above %s', (text, _, other) => {
    expect(ranges([text])[0]?.first).toBeGreaterThanOrEqual(other);
  });

  test.each([
    '10.0.0.0/33',
    '10.0.0',
    '10.0.0.256',
    '01.2.3.4',
    'fe80::1%eth0',
    '::/129',
    '',
    ':',
    'host',
    '1::2::3',
    '1:2:3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8::',
    '1::2:3:4:5:6:7:8',
    '12345::',
    'g::',
    '::1]:80?[',
    '1.2.3',
    '1',
    '1.2.3.4.5',
    '1.2.3.4.',
  ])('%j is no range', (text) => {
    expect(addressRange(text)).toBeUndefined();
  });

  test.each([
    [['10.0.0.0/24'], ['10.0.0.128/25', '2001:db8::/32'], true],
    [['10.0.0.0/25'], ['10.0.0.128/25', '9.0.0.0/8'], false],
    [['0.0.0.0/0'], ['::/0'], false],
    [[], ['::/0'], false],
  ])('%j and %j have an address in common: %s', (one, other, isCommon) => {
    expect(overlap(ranges(one), ranges(other))).toBe(isCommon);
    expect(overlap(ranges(other), ranges(one))).toBe(isCommon);
  });

  test('an address is in one of the ranges, or there are none', () => {
    expect(isAddressIn('10.0.0.1', [])).toBe(true);
    expect(isAddressIn('::ffff:10.0.0.1', ['2001:db8::/32', '10.0.0.0/8'])).toBe(true);
    expect(isAddressIn('10.0.0.1', ['::/0', 'nonsense'])).toBe(false);
    expect(isAddressIn('unix', ['0.0.0.0/0'])).toBe(false);
  });

  test('agrees with Node on which addresses are in a range', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), fc.integer({ min: 0, max: 32 }), (address, base, length) => {
        const cidr = `${base}/${length}`;
        const known = new BlockList();
        known.addSubnet(base, length);
        expect(isAddressIn(address, [cidr])).toBe(known.check(address));
      }),
    );
  });
});
