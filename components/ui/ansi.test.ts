import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ansiSegments, withoutAnsi } from './ansi'

const esc = '\u001b'

describe('the escape codes of a log', () => {
  it('are colours and looks of the text after them', () => {
    const line = `a ${esc}[31mred ${esc}[1;4mbold${esc}[0m b${esc}[38;5;208mc${esc}[38;2;1;2;3md${esc}[39me`
    const colour = (rgb: string) => `oklch(from ${rgb} clamp(var(--log-darkest), l, var(--log-lightest)) c h)`
    expect(ansiSegments(line)).toEqual([
      { text: 'a ' },
      { text: 'red ', style: { color: colour('rgb(187 0 0)') } },
      {
        text: 'bold',
        style: { color: colour('rgb(187 0 0)'), fontWeight: 700, textDecorationLine: 'underline' },
      },
      { text: ' b' },
      { text: 'c', style: { color: colour('rgb(255 135 0)') } },
      { text: 'd', style: { color: colour('rgb(1 2 3)') } },
      { text: 'e' },
    ])
  })

  it('keep colours that were chosen for each other, and those of a ground faint', () => {
    expect(ansiSegments(`${esc}[30;43mwarning${esc}[0;44mblue`)).toEqual([
      { text: 'warning', style: { color: 'rgb(0 0 0)', backgroundColor: 'rgb(187 187 0)' } },
      { text: 'blue', style: { backgroundColor: 'color-mix(in oklab, rgb(0 0 187) 30%, transparent)' } },
    ])
  })

  it.each([
    [`${esc}[31mfai${esc}[1mled${esc}[0m`, 'failed'],
    [`${esc}[2K${esc}[1Gdone${esc}[?25h`, 'done'],
    [`${esc}]8;;https://example.com${esc}\\link${esc}]8;;\u0007`, 'link'],
    [`${esc}]0;title\u0007text`, 'text'],
    [`${esc}(B${esc}[4:3mcurly${esc}[m`, 'curly'],
    [`plain [31m text`, 'plain [31m text'],
    ['<b onclick="x()">&amp;</b>', '<b onclick="x()">&amp;</b>'],
    [`${esc}[31`, '31'],
  ])('leave the text %j as %j', (line, text) => {
    expect(withoutAnsi(line)).toBe(text)
  })

  it('show of a bar of progress what it wrote last, and no carriage return of a line of Windows', () => {
    expect(withoutAnsi('10 %\r50 %\r100 %')).toBe('100 %')
    expect(withoutAnsi('done\r')).toBe('done')
    expect(withoutAnsi('0 %\r\u001b[32m100 %\u001b[0m\r')).toBe('100 %')
    expect(withoutAnsi('\r')).toBe('')
  })

  it('put nothing of a line into a style, whatever it says', () => {
    const piece = fc.constantFrom(
      esc,
      '[',
      '38;2;',
      '31',
      ';',
      'm',
      'url(x)',
      'red',
      '<',
      ':',
      ']8;;',
      '\u0007',
      '99999999999',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        for (const { text, style } of ansiSegments(pieces.join(''))) {
          expect(text).not.toContain(esc)
          for (const value of Object.values(style ?? {}))
            expect(String(value)).toMatch(
              /^(oklch\(from rgb\(\d+ \d+ \d+\) clamp\(var\(--log-darkest\), l, var\(--log-lightest\)\) c h\)|rgb\(\d+ \d+ \d+\)|color-mix\(in oklab, rgb\(\d+ \d+ \d+\) 30%, transparent\)|[\d.]+|italic|underline|line-through|underline line-through)$/,
            )
        }
      }),
    )
  })
})
