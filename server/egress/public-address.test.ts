import { describe, expect, it } from 'vitest'
import { isPublicAddress } from './public-address'

/** Both ends of every range in the IANA's registries of special-purpose IPv4 and IPv6 addresses, and what carries IPv4 inside. */
const special: readonly (readonly [string, readonly string[]])[] = [
  ['this network', ['0.0.0.0', '0.255.255.255']],
  [
    'private',
    ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
  ],
  ['shared by carriers', ['100.64.0.0', '100.127.255.255']],
  ['loopback', ['127.0.0.0', '127.0.0.1', '127.255.255.255']],
  ['link-local, and the metadata of clouds', ['169.254.0.0', '169.254.169.254', '169.254.255.255']],
  ['protocol assignments', ['192.0.0.0', '192.0.0.8', '192.0.0.170', '192.0.0.255']],
  ['documentation', ['192.0.2.0', '192.0.2.255', '198.51.100.1', '203.0.113.255']],
  ['AS112', ['192.31.196.1', '192.175.48.1']],
  ['AMT', ['192.52.193.1']],
  ['6to4 relays', ['192.88.99.0', '192.88.99.2']],
  ['benchmarks', ['198.18.0.0', '198.19.255.255']],
  ['multicast', ['224.0.0.0', '239.255.255.255']],
  ['reserved', ['240.0.0.0', '255.255.255.254']],
  ['broadcast', ['255.255.255.255']],
  ['IPv6 unspecified and loopback', ['::', '::1']],
  ['IPv4 mapped', ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::ffff:a9fe:a9fe']],
  ['IPv4 compatible', ['::127.0.0.1', '::8.8.8.8']],
  ['IPv4 translated', ['::ffff:0:127.0.0.1']],
  [
    'NAT64',
    ['64:ff9b::', '64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ],
  ['discard', ['100::', '100::ffff:ffff:ffff:ffff', '100:0:0:1::']],
  ['protocol assignments of IPv6', ['2001::', '2001:1ff:ffff::', '2001:1::1', '2001:1::2', '2001:1::3']],
  ['Teredo', ['2001:0:7f00:1::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff']],
  ['benchmarks of IPv6', ['2001:2::', '2001:2:0:ffff::']],
  ['AMT and AS112 of IPv6', ['2001:3::', '2001:4:112::', '2620:4f:8000::']],
  ['ORCHID', ['2001:10::', '2001:1f:ffff::', '2001:20::', '2001:2f:ffff::']],
  ['drone ids', ['2001:30::', '2001:3f:ffff::']],
  ['documentation of IPv6', ['2001:db8::', '2001:db8:ffff::1', '3fff::', '3fff:fff:ffff::']],
  ['6to4', ['2002::', '2002:7f00:1::', '2002:808:808::1']],
  ['segment routing', ['5f00::', '5f00:ffff::']],
  ['unique local', ['fc00::', 'fd00:ec2::254', 'fdff:ffff::']],
  ['link-local of IPv6', ['fe80::', 'fe80::1', 'fe80::1%eth0', 'febf:ffff::']],
  ['site-local', ['fec0::', 'feff:ffff::']],
  ['multicast of IPv6', ['ff00::', 'ff02::1', 'ffff:ffff::']],
  ['not given out', ['1::', '1fff::', '4000::', 'e000::', '200::']],
  ['no address', ['', 'localhost', '1.2.3', '1.2.3.4.5', '300.1.1.1', '::g', 'example.org', '1.2.3.4:80']],
]

describe('public addresses', () => {
  it.each(special)('%s: none is public', (_name, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([])
  })

  it('lets through what lies beside those ranges', () => {
    const beside = [
      '1.1.1.1',
      '8.8.8.8',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
      '128.0.0.1',
      '169.253.255.255',
      '169.255.0.0',
      '172.15.255.255',
      '172.32.0.0',
      '192.0.1.0',
      '192.167.255.255',
      '192.169.0.0',
      '198.17.255.255',
      '198.20.0.0',
      '223.255.255.255',
      '2000::1',
      '2001:200::1',
      '2001:4860:4860::8888',
      '2003::1',
      '2606:4700::1111',
      '3ffe::1',
    ]
    expect(beside.filter((address) => !isPublicAddress(address))).toEqual([])
  })
})
