import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findNumberFault, sameDigits } from './number-text'

describe('numbers as they are written', () => {
  it.each([
    '9007199254740991',
    '-9007199254740991',
    '9007199254740992',
    '9007199254740994',
    '1e20',
    '100000000000000000000',
    '1E+23',
    '6.02214076e23',
    '1.7976931348623157e308',
    '36893488147419103000',
    '0.1234567890123456789',
    '9007199254740991.0',
    '0x1FFFFFFFFFFFFF',
    '0x20000000000000',
    '+9007199254740992',
    'no number at all',
    '.inf',
  ])('[R-86] %s is taken', (literal) => {
    expect(findNumberFault(literal)).toBeNull()
  })

  it.each([
    ['9007199254740993', 'number_inexact'],
    ['-9007199254740993', 'number_inexact'],
    ['9007199254740993.0', 'number_inexact'],
    ['9.007199254740993e15', 'number_inexact'],
    ['900719925474099300e-2', 'number_inexact'],
    ['18446744073709551615', 'number_inexact'],
    ['36893488147419103232', 'number_inexact'],
    ['12345678901234567890', 'number_inexact'],
    ['0x20000000000001', 'number_inexact'],
    ['0o400000000000000001', 'number_inexact'],
    ['1e309', 'number_too_large'],
    ['-1e400', 'number_too_large'],
    ['1e-400', 'number_inexact'],
    ['-0.00000001e-330', 'number_inexact'],
  ])('[R-86] %s is refused', (literal, kind) => {
    expect(findNumberFault(literal)).toMatchObject({ kind })
  })

  it('[R-61] takes numbers of a length that nobody writes', () => {
    const zeros = '0'.repeat(2_000_000)
    expect(findNumberFault(`9007199254740992.${zeros}1`)).toMatchObject({ kind: 'number_inexact' })
    expect(findNumberFault(`${zeros}9007199254740992.${zeros}`)).toBeNull()
  })

  it('[R-86] takes every double as JSON writes it, and of whole numbers those that come out as they went in', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (value) => findNumberFault(JSON.stringify(value)) === null,
      ),
    )
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (value) => {
        const isSame = JSON.stringify(Number(value)) === `${value}`
        expect(findNumberFault(`${value}`) === null).toBe(isSame)
      }),
    )
  })
})

it.each([
  ['1.1000000000', '1.1', true],
  ['0.00', '0', true],
  ['-0.0', '0', true],
  ['1e20', '100000000000000000000', true],
  ['-0.012', '-1.2e-2', true],
  ['-1', '1', false],
  ['10', '1', false],
  ['0.1', '0.01', false],
  ['12345678901234567890.12', '12345678901234567000', false],
])('%s and %s have the same digits: %s', (a, b, same) => {
  expect(sameDigits(a, b)).toBe(same)
})
