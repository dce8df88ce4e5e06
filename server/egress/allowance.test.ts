import { describe, expect, it } from 'vitest'
import { isAllowed, parseEgressRule } from './allowance'

describe('PENSTOCK_EGRESS_ALLOW', () => {
  it.each([
    ['intern.example', 'intern.example', '10.0.0.1', 80, true],
    ['intern.example', 'INTERN.example.', '10.0.0.1', 80, true],
    ['Intern.Example', 'intern.example', '10.0.0.1', 80, true],
    ['intern.example', 'a.intern.example', '10.0.0.1', 80, false],
    ['intern.example', 'xintern.example', '10.0.0.1', 80, false],
    ['intern.example', 'intern.example.evil.org', '10.0.0.1', 80, false],
    ['intern.example:8080', 'intern.example', '10.0.0.1', 8080, true],
    ['intern.example:8080', 'intern.example', '10.0.0.1', 80, false],
    ['*.svc.cluster.local', 'api.svc.cluster.local', '10.0.0.1', 80, true],
    ['*.svc.cluster.local', 'svc.cluster.local', '10.0.0.1', 80, false],
    ['*.svc.cluster.local', 'evilsvc.cluster.local', '10.0.0.1', 80, false],
    ['localhost', 'localhost', '::1', 80, true],
    ['10.1.0.0/16', 'anything', '10.1.255.255', 80, true],
    ['10.1.0.0/16', 'anything', '10.2.0.0', 80, false],
    ['10.1.0.0/16:443', '10.1.0.1', '10.1.0.1', 443, true],
    ['10.1.0.0/16:443', '10.1.0.1', '10.1.0.1', 80, false],
    ['127.0.0.1', '127.0.0.1', '127.0.0.1', 80, true],
    ['127.0.0.1', '127.0.0.1', '127.0.0.2', 80, false],
    // what carries an IPv4 address inside it is opened only by a range of its own
    ['127.0.0.1', 'x', '::ffff:127.0.0.1', 80, false],
    ['::ffff:127.0.0.0/104', 'x', '::ffff:127.0.0.1', 80, true],
    ['::1', '::1', '::1', 80, true],
    ['::1:8080', '::1', '::1', 8080, false],
    ['[::1]:8080', '::1', '::1', 8080, true],
    ['[::1]:8080', '::1', '::1', 80, false],
    ['[fd00::/8]:8080', 'x', 'fd12::1', 8080, true],
    ['fd00::/8', 'x', 'fe80::1', 80, false],
    ['0.0.0.0/0', 'x', '10.0.0.1', 80, true],
    ['0.0.0.0/0', 'x', '::1', 80, false],
  ])('%s and %s at %s, port %d: %s', (entry, host, address, port, expected) => {
    const rule = parseEgressRule(entry)
    if (rule === null) throw new Error('refused')
    expect(isAllowed([rule], { host, address, port })).toBe(expected)
  })

  it.each([
    '*',
    '*.',
    '*.*.example',
    'a*.example',
    'a..b',
    '.example',
    'http://a.example',
    'a.example/',
    'a.example/8',
    'a.example:0',
    'a.example:65536',
    'a.example:',
    'a.example:http',
    'a b',
    '-a.example',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/a',
    '10.0.0/8',
    '10.0.0.256',
    '127.1',
    '0x7f.1',
    'fd00::/129',
    'fd00::g',
    '[fd00::1',
    '[10.0.0.1]:80',
    '[a.example]:80',
    '[::1]x',
    '[::1]:',
    'x'.repeat(64),
    `${'a.'.repeat(127)}com`,
  ])('refuses %s', (entry) => {
    expect(parseEgressRule(entry)).toBeNull()
  })
})
